"""Why something fails: the check to look at first, its output, what changed since it passed, earlier failures."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from itertools import groupby
from pathlib import Path
from typing import Any, Final

from handoff_tui.agents.runs.folders import list_runs
from handoff_tui.agents.runs.reports import load_report
from handoff_tui.agents.runs.run import RunState
from handoff_tui.agents.step.report import StepOutcome
from handoff_tui.checks.engine import build_fingerprint
from handoff_tui.checks.report import OUTPUT_SUBJECT, CheckReport, CheckResult, Outcome, is_open
from handoff_tui.checks.run.check import ProgressCallbacks, check, load_result_cache
from handoff_tui.checks.run.choose import CheckRequest
from handoff_tui.checks.run.commands import CommandCheck, list_commands
from handoff_tui.core.classes import NamedTuple, dataclass
from handoff_tui.core.errors import UsageError
from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.core.place import Severity
from handoff_tui.decisions.examine import find_handoff, plan_gate
from handoff_tui.handoffs.read_handoffs import read_repository
from handoff_tui.handoffs.session import Session
from handoff_tui.history.attempts.attempt import read_attempt_run
from handoff_tui.history.attempts.attempts import compare_runs, find_known_phase
from handoff_tui.history.failure.changes import ChangeFinder, Since, find_last_good, list_unset
from handoff_tui.history.failure.report import (
    EarlierEnd,
    EarlierFailure,
    EarlierMatch,
    FailedCheck,
    FailureReport,
    GoodMoment,
    OutputExcerpt,
    OutputLine,
)
from handoff_tui.history.past.checks import is_decidable
from handoff_tui.history.past.repository import MOST_ENTRIES, EntryEvidence, PastRepositories, list_evidence
from handoff_tui.log.entry import DecisionVerb
from handoff_tui.log.index import DecisionEntry, LogIndex, build_log_index
from handoff_tui.log.open_log import OpenLog
from handoff_tui.system.processes.output_reader import OutputReader

_MOST_EARLIER = 5
_MOST_MESSAGES = 3
_PASS, _FAIL = Outcome.PASS.value, Outcome.FAIL.value
_SILENT = frozenset({None, Outcome.NOT_APPLICABLE.value})
"""Nobody checked, so it may or may not have been fixed."""


class _Ending(NamedTuple):
    end: EarlierEnd
    shown_by: EntryEvidence | None = None


def find_earlier(
    result: CheckResult, evidence: Sequence[EntryEvidence], handoff: str | None = None, *, is_command: bool = False
) -> tuple[EarlierFailure, ...]:
    """Earlier failures like this one: the newest per gate and ending, those with the same findings first.

    `evidence` is newest first. A command is about the whole repository. A rule that failed with other findings only
    counts for the same handoff.
    """
    found: dict[tuple[object, ...], EarlierFailure] = {}
    for place, one in enumerate(evidence):
        if not one.has_failed(result.id):
            continue
        then = one.find_findings(result.id)
        shared = _find_shared(result, then)
        if not is_command and not _is_relevant(one, handoff, has_shared=bool(shared)):
            continue
        match = EarlierMatch.SAME_FINDING if shared else EarlierMatch.SAME_CHECK
        ending = _find_ending(one, result.id, shared, evidence[:place])
        failure = _build_failure(one, match, {key: then[key] for key in shared} or then, len(shared), ending)
        found.setdefault((failure.handoff, failure.phase, match, failure.end, failure.ended_by), failure)
    ordered = sorted(found.values(), key=lambda failure: failure.match is not EarlierMatch.SAME_FINDING)
    return tuple(ordered[:_MOST_EARLIER])


def _is_relevant(one: EntryEvidence, handoff: str | None, *, has_shared: bool) -> bool:
    """Whether the evidence is about its own handoff, and like the present failure.

    Without a review record there is only the snapshot, which is about the whole repository.
    """
    if one.record is not None:
        return has_shared or one.logged.work.handoff == handoff
    return has_shared and one.logged.work.handoff == handoff


def _find_shared(result: CheckResult, then: dict[str, str]) -> set[str]:
    """Findings of both. The tail of a command's output only matches if the text does."""
    now = {finding.fingerprint: finding.message for finding in result.findings}
    output = build_fingerprint(result.id, "", OUTPUT_SUBJECT)
    return {key for key in now.keys() & then.keys() if key != output or now[key].startswith(then[key])}


def _find_ending(one: EntryEvidence, check: str, shared: set[str], newer: Sequence[EntryEvidence]) -> _Ending:
    """How it ended, by the first later entry at the same gate whose evidence is free of it."""
    work = one.logged.work
    later = [
        other
        for other in reversed(newer)
        if (other.logged.work.handoff, other.logged.work.phase) == (work.handoff, work.phase)
    ]
    unread = False
    for other in later:
        outcome = other.find_outcome(check)
        unread = unread or outcome in _SILENT
        if outcome == _PASS or (shared and outcome == _FAIL and not shared & other.find_findings(check).keys()):
            return _Ending(EarlierEnd.PASSED, other)
    overriding = next((other for other in (one, *later) if _is_override(other)), None)
    if overriding is not None:
        return _Ending(EarlierEnd.OVERRIDDEN, overriding)
    return _Ending(EarlierEnd.UNKNOWN if unread else EarlierEnd.STILL_OPEN)


def _is_override(evidence: EntryEvidence) -> bool:
    return isinstance(evidence.logged, DecisionEntry) and evidence.logged.decision.verb is DecisionVerb.OVERRIDE


def _build_failure(
    evidence: EntryEvidence, match: EarlierMatch, messages: dict[str, str], shared: int, ending: _Ending
) -> EarlierFailure:
    one, last = evidence.logged, ending.shown_by
    ended: dict[str, Any] = {}
    if last is not None:
        entry, work = last.logged.entry, last.logged.work
        words = f"{_name_verb(last)} by {entry.actor} at {entry.time}"
        ended = {"by": entry.id, "attempt": work.attempt, "commit": work.subject.commit, "words": words}
    return EarlierFailure(
        entry=one.entry.id,
        time=one.entry.time,
        handoff=one.work.handoff,
        phase=one.work.phase,
        attempt=one.work.attempt,
        actor=one.entry.actor,
        verb=_name_verb(evidence),
        match=match,
        shared=shared,
        messages=tuple(sorted(messages.values()))[:_MOST_MESSAGES],
        end=ending.end,
        **{f"ended_{name}": value for name, value in ended.items()},
    )


def _name_verb(evidence: EntryEvidence) -> str:
    return evidence.logged.decision.verb.value if isinstance(evidence.logged, DecisionEntry) else "submit"


_MOST_LINES = 20_000
"""Of a longer output only the end is read."""
_BEFORE, _AFTER = 2, 4
_LAST = 6
_MOST_ERRORS = 12
"""Only this many error lines get context: of a thousand failures, the first say most."""
_LONGEST_LINE = 2_000
_LEAST_FOLDED = 2
"""A fold takes up a line itself."""
_ERROR: Final = compile_later(
    r"\b(?:error|errors|exception|traceback|fatal|fail|fails|failed|failure|failures|failing|panic|panicked|abort|aborted"
    r"|assertionerror|segmentation fault|core dumped|killed|timed out|timeout|undefined|unresolved|denied|refused)\b"
    r"|\b(?:[a-z_]\w*)(?:error|exception)\b|\b(?:not found|no such|cannot|can't|could not|unable to)\b"
    r"|^(?:E|F) {2,}\S|^not ok\b|^\s*(?:✗|✘|×)\s",
    re.IGNORECASE,
)
_HARMLESS: Final = compile_later(
    r"\b(?:0|no|zero|without) (?:\w+ )?(?:error|errors|failure|failures|failed|fail)\b"
    r"|\b(?:error|errors|failure|failures|failed|fail)\s*[:=]\s*0\b",
    re.IGNORECASE,
)
_PASSED: Final = compile_later(r"^\s*(?:ok|✓|✔)\s|\bPASSED\b")


def read_excerpt(path: str | None) -> OutputExcerpt | None:
    """The excerpt of an output file; None if it is missing or empty."""
    if path is None:
        return None
    reader = OutputReader(Path(path))
    reader.advance()
    total = reader.line_count
    first = max(0, total - _MOST_LINES)
    lines = reader.read_lines(first, _MOST_LINES)
    return fold_output(path, lines, first, total) if lines else None


def fold_output(path: str, lines: Sequence[str], skipped: int = 0, total: int | None = None) -> OutputExcerpt:
    """The lines that matter, with their numbers, and folds between them. `skipped` lines before them weren't read."""
    wrong = [place for place, line in enumerate(lines) if is_error_line(line)]
    shown = _choose_lines(len(lines), wrong)
    marked = frozenset(wrong)
    folded: list[OutputLine] = []
    unread = skipped
    for is_shown, group in groupby(range(len(lines)), key=shown.__contains__):
        places = list(group)
        hidden = unread + (0 if is_shown else len(places))
        if hidden >= _LEAST_FOLDED or unread:
            folded.append(OutputLine(number=places[0] + skipped + 1 - unread, folded=hidden))
        if is_shown or hidden < _LEAST_FOLDED:
            folded += [
                OutputLine(number=place + skipped + 1, text=lines[place][:_LONGEST_LINE], is_error=place in marked)
                for place in places
            ]
        unread = 0
    if unread:
        folded.append(OutputLine(number=1, folded=unread))
    return OutputExcerpt(
        path=path,
        total_lines=skipped + len(lines) if total is None else total,
        lines=tuple(folded),
        first_error=wrong[0] + skipped + 1 if wrong else None,
        errors=len(wrong),
    )


def is_error_line(line: str) -> bool:
    """Whether a line reports an error; "0 failures" and passed tests don't count."""
    head = line[:_LONGEST_LINE]
    if _PASSED.search(head):
        return False
    return _ERROR.search(_HARMLESS.sub("", head)) is not None


def _choose_lines(count: int, wrong: Sequence[int]) -> frozenset[int]:
    around = (range(place - _BEFORE, place + _AFTER + 1) for place in wrong[:_MOST_ERRORS])
    end = range(max(0, count - _LAST), count)
    return frozenset(place for places in (*around, end) for place in places if 0 <= place < count)


_RANK = {severity: number for number, severity in enumerate(Severity)}


class OrderedFailure(NamedTuple):
    """A result that doesn't pass, with what it needs and what waits for it."""

    result: CheckResult
    needs: tuple[str, ...]
    """Checks it needs directly that don't pass either."""
    holds_back: tuple[str, ...]
    """Checks that didn't run because of it, directly or not."""


def order_failures(results: Iterable[CheckResult], needs: Mapping[str, tuple[str, ...]]) -> tuple[OrderedFailure, ...]:
    """Orders failures: causes before what they hold back, then what blocks, then the worst."""
    by_id = {result.id: result for result in results}
    direct = {name: tuple(need for need in needs.get(name, ()) if need in by_id) for name in by_id}
    below = {name: _find_below(name, direct) for name in by_id}
    ordered: list[tuple[tuple[object, ...], OrderedFailure]] = []
    for name, result in by_id.items():
        waiting = [other for other in by_id if name in below[other] and other != name]
        held = tuple(sorted(other for other in waiting if by_id[other].outcome is Outcome.SKIPPED))
        # in a circle of needs, none is the cause of another
        causes = [other for other in below[name] if name not in below[other] and other != name]
        weight = [result, *(by_id[other] for other in held)]
        key = (
            bool(causes),
            not any(one.blocking for one in weight),
            min(_RANK[one.severity] for one in weight),
            -len(held),
            not result.blocking,
            _RANK[result.severity],
            name,
        )
        ordered.append((key, OrderedFailure(result, direct[name], held)))
    return tuple(failure for _, failure in sorted(ordered, key=lambda pair: pair[0]))


def _find_below(name: str, direct: Mapping[str, tuple[str, ...]]) -> frozenset[str]:
    """Everything a check needs, directly or not; includes itself if needs form a circle."""
    found: set[str] = set()
    waiting = list(direct[name])
    while waiting:
        need = waiting.pop()
        if need not in found:
            found.add(need)
            waiting += direct[need]
    return frozenset(found)


_NO_EVIDENCE = "no log entry says it ever passed, so there is nothing to compare with"
_BROKEN = "the log is not intact, so its entries are ignored: handoff-tui log verify"


class FailurePlace(NamedTuple):
    """The gate in question."""

    handoff: str | None = None
    phase: str | None = None
    attempt: int | None = None


def read_failure(
    session: Session,
    log: OpenLog,
    wanted: str | None = None,
    phase: str | None = None,
    *,
    only: str | None = None,
    telling: ProgressCallbacks | None = None,
) -> FailureReport:
    """Runs the checks of a handoff's gate, or all checks, and explores what fails."""
    verdict = log.verify()
    index = build_log_index(verdict)
    place, request = FailurePlace(), CheckRequest()
    if wanted is None and phase is not None:
        raise UsageError("--phase needs a handoff", f"handoff-tui failure ID --phase {phase}")
    if wanted is not None:
        handoffs = read_repository(session).result.handoffs
        handoff = find_handoff(handoffs, wanted)
        known = find_known_phase(session, index, handoff, phase, list_runs(session.repository.common_dir, handoff.id))
        plan = plan_gate(session, index, handoffs, wanted, known)
        place = FailurePlace(*plan.key)
        request = plan.build_request(fresh=False)
    report = check(session, request, telling)
    if only is not None and only not in {result.id for result in report.results}:
        raise UsageError(f"no check has the id {only!r}", "`handoff-tui check --list` lists them.")
    return explore_failure(session, report, None if verdict.fatal else index, place, only=only)


def explore_failure(
    session: Session,
    report: CheckReport,
    index: LogIndex | None,
    place: FailurePlace | None = None,
    *,
    only: str | None = None,
) -> FailureReport:
    """Explores existing results. `index` is None if the log can't be relied on."""
    place = place or FailurePlace(report.handoff)
    evidence = () if index is None else list_evidence(session, index)
    needs = {name: own.needs for name, own in session.loaded.settings.checks.items()}
    ordered = order_failures(filter(is_open, report.results), needs)
    notes = [_BROKEN] if index is None else []
    if len(evidence) == MOST_ENTRIES:
        notes.append(f"only the newest {MOST_ENTRIES} log entries were searched")
    with closing(PastRepositories(session)) as past:
        explorer = _Explorer(past, report, evidence, place.handoff)
        failed = tuple(explorer.explore(failure) for failure in ordered if only in {None, failure.result.id})
    found = FailureReport(
        handoff=place.handoff,
        phase=place.phase,
        attempt=place.attempt,
        head=report.head,
        blocked=report.verdict == "blocked",
        passed=report.passed,
        total=report.total,
        failed=failed,
        notes=tuple(notes),
    )
    return found if place.handoff is None else _add_runs(session, found, place.handoff)


@dataclass
class _Explorer:
    """Explores the failures of one report; what several of them need is read once."""

    past: PastRepositories
    report: CheckReport
    evidence: tuple[EntryEvidence, ...]
    handoff: str | None

    def __post_init__(self) -> None:
        self.session = self.past.session
        self._commands = {command.id: command for command in list_commands(self.session, None, None)}
        self._holds = {rule.id: rule.holds for rule in self.report.rules}
        self._changes = ChangeFinder(self.past)
        self._passes = load_result_cache(self.session.repository.root, self.report.handoff).commands

    def explore(self, one: OrderedFailure) -> FailedCheck:
        result = one.result
        command = self._commands.get(result.id)
        good = find_last_good(self.session, result.id, self.evidence, self.handoff, is_command=command is not None)
        since = Since(notes=(_NO_EVIDENCE,)) if good is None else self._changes.find(result, command, good)
        return FailedCheck(
            result=result,
            needs=one.needs,
            holds_back=one.holds_back,
            holds=self._holds.get(result.id, ""),
            command="" if command is None else command.shown,
            output=read_excerpt(result.log),
            last_good=good or self._find_local_pass(result, command),
            changes=since.changes,
            files=since.files,
            files_total=since.files_total,
            unset=() if command is None else list_unset(command.check),
            earlier=find_earlier(result, self.evidence, self.handoff, is_command=command is not None),
            can_bisect=is_decidable(result.id),
            notes=since.notes,
        )

    def _find_local_pass(self, result: CheckResult, command: CommandCheck | None) -> GoodMoment | None:
        """A pass of a command on this machine; only its time is known."""
        passed = self._passes.get(result.id) if command is not None else None
        if passed is None or passed.ran_at is None:
            return None
        return GoodMoment(source="cache", time=passed.ran_at.isoformat(timespec="seconds"))


def _add_runs(session: Session, report: FailureReport, handoff: str) -> FailureReport:
    """Adds the last agent run if it didn't succeed, compared with the last one that did."""
    runs = list_runs(session.repository.common_dir, handoff)
    last = runs[-1] if runs else None
    if last is None or not last.is_over or _has_succeeded(last):
        return report
    failed = read_attempt_run(last)
    good = next((state for state in reversed(runs) if _has_succeeded(state)), None)
    return report.model_copy(
        update={
            "last_run": failed,
            "last_run_output": read_excerpt(failed.output),
            "run_changes": compare_runs(None if good is None else read_attempt_run(good, tail_lines=0), failed),
        }
    )


def _has_succeeded(state: RunState) -> bool:
    report = load_report(state)
    return report is not None and report.outcome is StepOutcome.READY
