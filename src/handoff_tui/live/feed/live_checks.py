"""The checks of the handoff in view, kept live: after a save only those run whose inputs it touched."""

from __future__ import annotations

import fnmatch
from dataclasses import dataclass
from threading import Event
from typing import cast

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
from handoff_tui.live.feed.checking import build_request, merge_results
from handoff_tui.live.feed.deep_verdict_cache import DeepBook
from handoff_tui.live.feed.snapshot import Patch, Scene
from handoff_tui.live.feed.still_valid_answers import StandingAnswers, patch_changes
from handoff_tui.live.feed.verdict_cache import ClaimBook


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
