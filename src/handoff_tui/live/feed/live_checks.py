"""The checks of the handoff in view, kept live: after a save only those run whose inputs it touched."""

from __future__ import annotations

import fnmatch
import os
from dataclasses import dataclass
from threading import Event
from typing import Final, cast

from handoff_tui.checks.inputs import Inputs
from handoff_tui.checks.report import CheckReport
from handoff_tui.checks.result import CheckResult
from handoff_tui.checks.run.check import (
    Beforehand,
    CheckRequest,
    Kept,
    Telling,
    build_world,
    check_once,
    list_command_results,
)
from handoff_tui.checks.run.commands import list_commands
from handoff_tui.checks.world import Change
from handoff_tui.core.repository_facts import RepositoryFacts
from handoff_tui.git.work_tree.content_rules import is_stored_as_is
from handoff_tui.live.feed.checking import build_request, merge_results
from handoff_tui.live.feed.deep_verdict_cache import DeepBook
from handoff_tui.live.feed.snapshot import Patch, Scene
from handoff_tui.live.feed.verdict_cache import ClaimBook
from handoff_tui.system.files.reader import FileReader

_STEADY: Final = frozenset({
    "answer", "baseline", "commit", "commit-paths", "commits", "cut-off", "document-commit", "file-at", "lag",
    "parameters", "program", "program-answers", "reaches", "remotes", "setting", "usual-severity",
})  # fmt: skip
"""Answers in which no file of the work tree has a say. Those of the network are asked again with everything else."""
_ABOUT_ONE_PATH: Final = frozenset({"executable", "exists", "file", "writable"})


class StandingAnswers:
    """What holds still, when `patch` is all that lies between two scenes."""

    def __init__(self, before: Scene, now: Scene, patch: Patch, links: dict[str, bool]) -> None:
        """`links` remembers which names lead through a link; such a change is never a small one."""
        self._patch = patch
        self._links = links
        self._reader = FileReader(now.desk.repository.root, 0)
        self._same_facts = before.desk.work_tree.facts == now.desk.work_tree.facts
        old, new = before.reading.harvest, now.reading.harvest
        self._same_problems = old is new or old.problems == new.problems
        self._same_ids = [(one.id, one.dialect) for one in old.handoffs] == [
            (one.id, one.dialect) for one in new.handoffs
        ]
        known = {handoff.id: handoff for handoff in old.handoffs}
        self._same_handoffs = {one.id for one in new.handoffs if old is new or known.get(one.id) == one}

    def holds(self, kind: str, name: str) -> bool:
        if kind in _STEADY:
            return True
        if kind in _ABOUT_ONE_PATH:
            return not self._touches(name) and not self._is_linked(name)
        return {
            "facts": self._same_facts,
            "find": not self._patch.presence and name.partition("\0")[2] not in self._patch.paths,
            "handoff": name in self._same_handoffs,
            "handoff-ids": self._same_ids,
            "paths": not self._patch.presence,
            "problems": self._same_problems,
        }.get(kind, False)

    def _is_linked(self, name: str) -> bool:
        if name not in self._links:
            self._links[name] = self._reader.is_linked(name)
        return self._links[name]

    def _touches(self, name: str) -> bool:
        """Whether a saved file is this one, lies below it, or stands where a folder above it was."""
        return any(
            name == path or path.startswith(f"{name}/") or name.startswith(f"{path}/") for path in self._patch.paths
        )


def patch_changes(
    known: tuple[Change, ...], baseline: str | None, before: Scene, now: Scene, patch: Patch
) -> tuple[Change, ...] | None:
    """What differs from the baseline after a few files were saved; nothing where git must be asked."""
    if baseline is None:
        return ()
    if patch.presence:
        return None
    by_path = {change.path: change for change in known}
    old_paths = {change.old_path for change in known}
    facts, earlier = now.desk.work_tree.facts, before.desk.work_tree.facts
    added: list[Change] = []
    for path in patch.paths:
        change = by_path.get(path)
        if path in old_paths or (change is not None and not _stays(change, facts, baseline, now)):
            return None
        if change is None and path in facts.changed:
            if path in earlier.changed:
                return None  # it differed from HEAD, and not from the baseline
            added.append(Change("M", path))
    return _insert(known, added, frozenset(facts.untracked)) if added else known


def _stays(change: Change, facts: RepositoryFacts, baseline: str, now: Scene) -> bool:
    """Whether a path that differed from the baseline surely differs still, and in the same way."""
    if change.path in facts.untracked:
        return change.status == "A"
    if change.status != "M" or change.path not in facts.changed:
        return False
    if baseline == facts.head:
        return True
    desk = now.desk
    content = FileReader(desk.repository.root, desk.loaded.settings.limits.file_bytes).read_bytes(change.path)
    stored = desk.repository.git.run("cat-file", "blob", f"{baseline}:{change.path}")
    as_is = is_stored_as_is(now.workings.rules, desk.repository.root, change.path, content)
    return stored.ok and as_is and stored.stdout != content


def _insert(known: tuple[Change, ...], added: list[Change], untracked: frozenset[str]) -> tuple[Change, ...]:
    """In the order of git; untracked ones stay behind the others."""
    tracked = [change for change in known if change.path not in untracked]
    ordered = sorted([*tracked, *added], key=lambda change: os.fsencode(change.path))
    return (*ordered, *(change for change in known if change.path in untracked))


@dataclass(frozen=True, slots=True)
class _Last:
    """The last run."""

    place: tuple[str, str, str | None]
    scene: Scene
    request: CheckRequest
    kept: Kept
    links: dict[str, bool]
    commands: tuple[CheckResult, ...]
    report: CheckReport


class LiveChecks:
    """One handoff at a time, on one thread. Commands are not run; their earlier results count as far as they fit."""

    def __init__(self, books: DeepBook) -> None:
        self._books = books
        self._last: _Last | None = None
        self._outrun = Event()

    def note_run(self) -> None:
        """Somebody else has run them: what they said is in the cache."""
        self._outrun.set()

    def run(
        self, scene: Scene, handoff: str, phase: str | None, commands: tuple[CheckResult, ...], cancel: Event
    ) -> CheckReport:
        place = (scene.state.repository.root, handoff, phase)
        if self._outrun.is_set():
            self._outrun.clear()
            self._last = None
        last = self._last if self._last is not None and self._last.place == place else None
        patch = scene.find_patch(last.scene.version) if last is not None else None
        if last is None or patch is None or handoff not in {one.id for one in scene.reading.harvest.handoffs}:
            self._last = self._run_all(place, scene, commands, cancel)
            self._last.kept.memory.save()
        else:
            self._last = self._run_patched(last, scene, patch, commands, cancel)
        return self._last.report

    def _run_all(
        self, place: tuple[str, str, str | None], scene: Scene, commands: tuple[CheckResult, ...], cancel: Event
    ) -> _Last:
        request = build_request(scene, place[1], place[2])._replace(run_commands=False)
        before = Beforehand(scene.reading, commands, book=self._books.find(scene))
        report, kept = check_once(scene.desk, request, Telling(cancel=cancel), before)
        return _Last(place, scene, request, kept, {}, commands, report)

    def _run_patched(
        self, last: _Last, scene: Scene, patch: Patch, commands: tuple[CheckResult, ...], cancel: Event
    ) -> _Last:
        book, baseline = self._books.find(scene), last.kept.baseline
        world = build_world(scene.desk, last.request, scene.reading, baseline, book)
        inputs = Inputs(world)
        inputs.take_over(last.kept.inputs, StandingAnswers(last.scene, scene, patch, last.links).holds)
        _take_over_verdicts(inputs, last.kept.inputs, book, scene)
        known = cast("tuple[Change, ...] | None", last.kept.inputs.find_known("changes"))
        changes = None if known is None else patch_changes(known, baseline.commit, last.scene, scene, patch)
        if changes is not None:
            inputs.put("changes", "", changes)
        still = _list_untouched(last, scene, patch) if commands == last.commands else []
        kept = last.kept._replace(world=world, inputs=inputs)
        before = Beforehand(scene.reading, commands, kept)
        request = last.request._replace(excluded=tuple(result.id for result in still))
        report, kept = check_once(scene.desk, request, Telling(cancel=cancel), before)
        return _Last(
            last.place,
            scene,
            last.request,
            kept,
            last.links,
            commands,
            merge_results(report, (*report.results, *still)),
        )


def _take_over_verdicts(inputs: Inputs, last: Inputs, book: ClaimBook, scene: Scene) -> None:
    """Where the book gives the very verdicts that it gave before, their digest holds, too."""
    verdicts = {
        handoff.id: book.measure(handoff)
        for handoff in scene.reading.harvest.handoffs
        if last.has_asked("verdicts", handoff.id)
    }
    inputs.take_over(last, lambda kind, name: kind == "verdicts" and verdicts.get(name) is last.find_known(kind, name))


def _list_untouched(last: _Last, scene: Scene, patch: Patch) -> list[CheckResult]:
    """Results of commands that no saved file has a say in: what they rest on need not be read again."""
    results = {result.id: result for result in list_command_results(last.report)}
    found: list[CheckResult] = []
    for command in list_commands(scene.desk, last.request.moment, last.request.phase) if results else ():
        patterns = command.check.inputs
        touched = not patterns or any(fnmatch.fnmatch(path, glob) for path in patch.paths for glob in patterns)
        if command.id in results and not touched:
            found.append(results[command.id])
    return found
