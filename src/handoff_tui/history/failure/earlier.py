"""Earlier failures of this repository that are like one of now, by fingerprint, and how they ended."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from handoff_tui.checks.engine import build_fingerprint
from handoff_tui.checks.result import CheckResult, Outcome
from handoff_tui.checks.run.command_run import OUTPUT_SUBJECT
from handoff_tui.history.failure.evidence import EntryEvidence
from handoff_tui.history.failure.report import EarlierEnd, EarlierFailure, EarlierMatch
from handoff_tui.log.index import Vote
from handoff_tui.log.record import DecisionVerb

_MOST_EARLIER = 5
_MOST_MESSAGES = 3
_PASS, _FAIL = Outcome.PASS.value, Outcome.FAIL.value
_SILENT = frozenset({None, Outcome.NOT_APPLICABLE.value})
"""Where nobody looked for it any more, it may or may not have come right."""


class _Ending(NamedTuple):
    end: EarlierEnd
    shown_by: EntryEvidence | None = None


def find_earlier(
    result: CheckResult, evidence: Sequence[EntryEvidence], handoff: str | None = None, *, is_command: bool = False
) -> tuple[EarlierFailure, ...]:
    """The newest of each kind of end at each gate, those with the same findings first. `evidence` is newest first.

    A command is about the whole repository; with other findings than now, only those of the same handoff are alike.
    """
    found: dict[tuple[object, ...], EarlierFailure] = {}
    for place, one in enumerate(evidence):
        if not one.has_failed(result.id):
            continue
        then = one.find_findings(result.id)
        shared = _find_shared(result, then)
        if not is_command and not _is_telling(one, handoff, has_shared=bool(shared)):
            continue
        match = EarlierMatch.SAME_FINDING if shared else EarlierMatch.SAME_CHECK
        ending = _find_ending(one, result.id, shared, evidence[:place])
        failure = _build_failure(one, match, {key: then[key] for key in shared} or then, len(shared), ending)
        found.setdefault((failure.handoff, failure.phase, match, failure.end, failure.ended_by), failure)
    ordered = sorted(found.values(), key=lambda failure: failure.match is not EarlierMatch.SAME_FINDING)
    return tuple(ordered[:_MOST_EARLIER])


def _is_telling(one: EntryEvidence, handoff: str | None, *, has_shared: bool) -> bool:
    """Whether evidence tells something of the handoff that it was stored for, and that is like the failure of now.

    Without a record there is only the snapshot, which is about the whole repository.
    """
    if one.record is not None:
        return has_shared or one.one.work.handoff == handoff
    return has_shared and one.one.work.handoff == handoff


def _find_shared(result: CheckResult, then: dict[str, str]) -> set[str]:
    """Findings of then and now. The end of a command's output is the same only if it says the same."""
    now = {finding.fingerprint: finding.message for finding in result.findings}
    output = build_fingerprint(result.id, "", OUTPUT_SUBJECT)
    return {key for key in now.keys() & then.keys() if key != output or now[key].startswith(then[key])}


def _find_ending(one: EntryEvidence, check: str, shared: set[str], newer: Sequence[EntryEvidence]) -> _Ending:
    """By the first later entry at the same gate whose evidence is free of it."""
    work = one.one.work
    later = [
        other
        for other in reversed(newer)
        if (other.one.work.handoff, other.one.work.phase) == (work.handoff, work.phase)
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
    return isinstance(evidence.one, Vote) and evidence.one.decision.verb is DecisionVerb.OVERRIDE


def _build_failure(
    evidence: EntryEvidence, match: EarlierMatch, messages: dict[str, str], shared: int, ending: _Ending
) -> EarlierFailure:
    one, last = evidence.one, ending.shown_by
    return EarlierFailure(
        entry=one.entry.id,
        time=one.entry.time,
        handoff=one.work.handoff,
        phase=one.work.phase,
        attempt=one.work.attempt,
        actor=one.entry.actor,
        verb=_name_act(evidence),
        match=match,
        shared=shared,
        messages=tuple(sorted(messages.values()))[:_MOST_MESSAGES],
        end=ending.end,
        ended_by=None if last is None else last.one.entry.id,
        ended_attempt=None if last is None else last.one.work.attempt,
        ended_commit=None if last is None else last.one.work.subject.commit,
        ended_words="" if last is None else f"{_name_act(last)} by {last.one.entry.actor} at {last.one.entry.time}",
    )


def _name_act(evidence: EntryEvidence) -> str:
    return evidence.one.decision.verb.value if isinstance(evidence.one, Vote) else "submit"
