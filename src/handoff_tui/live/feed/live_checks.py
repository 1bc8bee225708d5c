"""Keeps the checks of the handoff in view live: after a save only those run whose inputs it touched."""

from __future__ import annotations

import fnmatch
import os
from collections.abc import Callable
from threading import Event
from typing import Final

from handoff_tui.checks.context import Answers, WorldQuestion
from handoff_tui.checks.report import CheckReport, CheckResult
from handoff_tui.checks.run.check import FinishedChecks, Prefetched, ProgressCallbacks, build_world, check, check_once
from handoff_tui.checks.run.choose import CheckRequest
from handoff_tui.checks.run.commands import list_commands
from handoff_tui.checks.run.guards import guard
from handoff_tui.checks.world import Change, World
from handoff_tui.config.load import LoadedSettings
from handoff_tui.core.classes import dataclass, replace
from handoff_tui.core.place import CheckMoment
from handoff_tui.core.repository_facts import RepositoryFacts
from handoff_tui.decisions.examine import plan_gate
from handoff_tui.git.work_tree.patched_tree import is_stored_as_is
from handoff_tui.handoffs.session import Session
from handoff_tui.live.feed.snapshot import RepositorySnapshot, SavedPaths
from handoff_tui.live.feed.verdict_cache import DeepVerdictCache, VerdictCache
from handoff_tui.log.index import build_log_index
from handoff_tui.log.open_log import open_log
from handoff_tui.system.files.reader import FileReader


def run_requested(
    snapshot: RepositorySnapshot,
    place: tuple[str, str | None, tuple[str, ...]],
    tell: Callable[[CheckResult | None, int, int], None],
    cancel: Event,
    *,
    fresh: bool,
) -> tuple[CheckReport, tuple[CheckResult, ...]]:
    """Runs the checks of a gate, or some of them; returns the report and the results of its commands."""
    snapshot.session.loaded.refuse_judging()
    handoff, phase, only = place
    request = build_request(snapshot, handoff, phase)._replace(only=only, fresh=fresh)
    report = check(
        snapshot.session, request, ProgressCallbacks(on_result=tell, cancel=cancel), Prefetched(snapshot.reading)
    )
    return report, report.command_results


def build_request(snapshot: RepositorySnapshot, handoff: str, phase: str | None) -> CheckRequest:
    """Returns the request for the checks of the handoff's gate."""
    session = snapshot.session
    if session.work_tree.facts.head is None:
        return CheckRequest(CheckMoment.GATE, phase, handoff)
    index = snapshot.gates.index if snapshot.gates else build_log_index(open_log(session.repository).verify())
    return plan_gate(session, index, snapshot.reading.result.handoffs, handoff, phase).build_request(fresh=False)


def merge_reports(before: CheckReport, report: CheckReport) -> CheckReport:
    """Replaces the results of some checks among those of all."""
    new = {result.id: result for result in report.results}
    return before.with_results(tuple(new.get(result.id, result) for result in before.results))


_STEADY: Final = frozenset({
    "answers", "baseline", "commit", "commit_paths", "commits", "document_commit", "find_program", "is_cut_off",
    "lag", "parameters", "reaches", "read_at", "remotes", "settings", "usual_severity",
})  # fmt: skip
"""Answers that depend on no file of the work tree. Those from the network are asked again on every full read."""
_ABOUT_ONE_PATH: Final = frozenset({"exists", "is_executable", "is_writable", "read"})


class StillValidAnswers:
    """Tells which answers are still valid if `patch` is all that lies between two snapshots."""

    def __init__(
        self, before: RepositorySnapshot, now: RepositorySnapshot, patch: SavedPaths, links: dict[str, bool]
    ) -> None:
        """`links` remembers which names lead through a link; those are always asked again."""
        self._patch = patch
        self._links = links
        self._reader = FileReader(now.session.repository.root, 0)
        self._same_facts = before.session.work_tree.facts == now.session.work_tree.facts
        old, new = before.reading.result, now.reading.result
        same_lives = before.incremental.handoff_reviewer.lives == now.incremental.handoff_reviewer.lives
        self._same_problems = same_lives and (old is new or old.problems == new.problems)
        self._same_ids = same_lives and [(one.id, one.dialect) for one in old.handoffs] == [
            (one.id, one.dialect) for one in new.handoffs
        ]
        known = {handoff.id: handoff for handoff in old.handoffs}
        self._same_handoffs = {one.id for one in new.handoffs if old is new or known.get(one.id) == one}

    def holds(self, question: WorldQuestion) -> bool:
        if question.name in _STEADY:
            return True
        about = question.arguments[0] if question.arguments else ""
        if question.name in _ABOUT_ONE_PATH:
            return not self._touches(about) and not self._is_linked(about)
        return {
            "facts": self._same_facts,
            "find": not self._patch.presence and about not in self._patch.paths,
            "handoff": about in self._same_handoffs,
            "handoff_names": self._same_ids,
            "paths": not self._patch.presence,
            "problems": self._same_problems,
        }.get(question.name, False)

    def _is_linked(self, name: str) -> bool:
        if name not in self._links:
            self._links[name] = self._reader.is_linked(name)
        return self._links[name]

    def _touches(self, name: str) -> bool:
        """Tells whether a saved file is this one, lies below it, or replaced a folder above it."""
        return any(
            name == path or path.startswith(f"{name}/") or name.startswith(f"{path}/") for path in self._patch.paths
        )


def patch_changes(
    known: tuple[Change, ...],
    baseline: str | None,
    before: RepositorySnapshot,
    now: RepositorySnapshot,
    patch: SavedPaths,
) -> tuple[Change, ...] | None:
    """Returns what differs from the baseline after a few files were saved; None if git must be asked."""
    if baseline is None:
        return ()
    if patch.presence:
        return None
    by_path = {change.path: change for change in known}
    old_paths = {change.old_path for change in known}
    facts, earlier = now.session.work_tree.facts, before.session.work_tree.facts
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


def _stays(change: Change, facts: RepositoryFacts, baseline: str, now: RepositorySnapshot) -> bool:
    """Tells whether a path that differed from the baseline surely still does, in the same way."""
    if change.path in facts.untracked:
        return change.status == "A"
    if change.status != "M" or change.path not in facts.changed:
        return False
    if baseline == facts.head:
        return True
    session = now.session
    content = FileReader(session.repository.root, session.loaded.settings.limits.file_bytes).read_bytes(change.path)
    stored = session.repository.git.run("cat-file", "blob", f"{baseline}:{change.path}")
    as_is = is_stored_as_is(now.incremental.rules, session.repository.root, change.path, content)
    return stored.ok and as_is and stored.stdout != content


def _insert(known: tuple[Change, ...], added: list[Change], untracked: frozenset[str]) -> tuple[Change, ...]:
    """Inserts in git's order; untracked files stay last."""
    tracked = [change for change in known if change.path not in untracked]
    ordered = sorted([*tracked, *added], key=lambda change: os.fsencode(change.path))
    return (*ordered, *(change for change in known if change.path in untracked))


@dataclass(frozen=True, slots=True)
class _Last:
    """The last run."""

    place: tuple[str, str, str | None]
    snapshot: RepositorySnapshot
    request: CheckRequest
    state: FinishedChecks
    links: dict[str, bool]
    commands: tuple[CheckResult, ...]
    report: CheckReport
    loaded: LoadedSettings
    """The settings that guard the handoff."""


class LiveChecks:
    """Runs the checks of one handoff at a time, on one thread. Commands are not run; fitting earlier results count."""

    def __init__(self, verdicts: DeepVerdictCache) -> None:
        self._verdicts = verdicts
        self._last: _Last | None = None
        self._outrun = Event()

    def note_run(self) -> None:
        """Notes that the checks were run elsewhere: their results are in the cache."""
        self._outrun.set()

    def run(
        self,
        snapshot: RepositorySnapshot,
        handoff: str,
        phase: str | None,
        commands: tuple[CheckResult, ...],
        cancel: Event,
    ) -> CheckReport:
        place = (snapshot.state.repository.root, handoff, phase)
        if self._outrun.is_set():
            self._outrun.clear()
            self._last = None
        last = self._last if self._last is not None and self._last.place == place else None
        patch = snapshot.find_patch(last.snapshot.version) if last is not None else None
        if last is None or patch is None or handoff not in {one.id for one in snapshot.reading.result.handoffs}:
            self._last = self._run_all(place, snapshot, commands, cancel)
            self._last.state.cache.save()
        else:
            self._last = self._run_patched(last, snapshot, patch, commands, cancel)
        return self._last.report

    def _run_all(
        self,
        place: tuple[str, str, str | None],
        snapshot: RepositorySnapshot,
        commands: tuple[CheckResult, ...],
        cancel: Event,
    ) -> _Last:
        request = build_request(snapshot, place[1], place[2])._replace(run_commands=False)
        scopes = snapshot.incremental.handoff_reviewer.scopes
        before = Prefetched(snapshot.reading, commands, measurer=self._verdicts.find(snapshot), scopes=scopes)
        session = guard(snapshot.session, scopes.of(place[1]).start).session
        report, state = check_once(session, request, ProgressCallbacks(cancel=cancel), before)
        return _Last(place, snapshot, request, state, {}, commands, report, session.loaded)

    def _run_patched(
        self,
        last: _Last,
        snapshot: RepositorySnapshot,
        patch: SavedPaths,
        commands: tuple[CheckResult, ...],
        cancel: Event,
    ) -> _Last:
        cache, baseline = self._verdicts.find(snapshot), last.state.baseline
        scopes = snapshot.incremental.handoff_reviewer.scopes
        session = snapshot.session._replace(loaded=last.loaded)
        world = build_world(session, last.request, snapshot.reading, baseline, cache, scopes)
        answers = Answers(world)
        answers.take_over(last.state.answers, StillValidAnswers(last.snapshot, snapshot, patch, last.links).holds)
        _take_over_verdicts(answers, last.state.answers, cache, snapshot)
        known = last.state.answers.find_known(World.changes)
        changes = None if known is None else patch_changes(known, baseline.commit, last.snapshot, snapshot, patch)
        if changes is not None:
            answers.put(World.changes, changes)
        still = _list_untouched(last, session, patch) if commands == last.commands else []
        state = last.state._replace(world=world, answers=answers)
        before = Prefetched(snapshot.reading, commands, state)
        request = last.request._replace(excluded=tuple(result.id for result in still))
        report, state = check_once(session, request, ProgressCallbacks(cancel=cancel), before)
        whole = report.with_results((*report.results, *still))
        return replace(last, snapshot=snapshot, state=state, commands=commands, report=whole)


def _take_over_verdicts(answers: Answers, last: Answers, cache: VerdictCache, snapshot: RepositorySnapshot) -> None:
    """Keeps the digest of each handoff whose verdicts are the same objects as before."""
    verdicts = {
        handoff.id: cache.measure(handoff)
        for handoff in snapshot.reading.result.handoffs
        if last.has_asked(World.verdicts, handoff.id)
    }

    def is_valid(question: WorldQuestion) -> bool:
        if question.name != "verdicts":
            return False
        (handoff,) = question.arguments
        return verdicts.get(handoff) is last.find_known(World.verdicts, handoff)

    answers.take_over(last, is_valid)


def _list_untouched(last: _Last, session: Session, patch: SavedPaths) -> list[CheckResult]:
    """Returns the results of commands whose inputs no saved file matches."""
    results = {result.id: result for result in last.report.command_results}
    found: list[CheckResult] = []
    for command in list_commands(session, last.request.moment, last.request.phase) if results else ():
        patterns = command.check.inputs
        touched = not patterns or any(fnmatch.fnmatch(path, glob) for path in patch.paths for glob in patterns)
        if command.id in results and not touched:
            found.append(results[command.id])
    return found
