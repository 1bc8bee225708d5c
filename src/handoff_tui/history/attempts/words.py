"""Words and glyphs for attempts, shared by pages and rows. All text is safe to show on one line."""

from __future__ import annotations

from handoff_tui.changes.comparison.json import count_changes
from handoff_tui.changes.comparison.snapshot_diff import ComparedSection
from handoff_tui.core.text.labels import Label, label_difference
from handoff_tui.core.text.safe_text import render_safe
from handoff_tui.history.attempts.report import AttemptOutcome, AttemptRun, PastAttempt, PointKind, RequestedPoint

NOTHING = "–"
_OUTCOMES = {
    AttemptOutcome.APPROVED: Label("✓", "approved", "pass"),
    AttemptOutcome.OVERRIDDEN: Label("!", "overridden", "warning"),
    AttemptOutcome.SKIPPED: Label("↷", "skipped", "skipped"),
    AttemptOutcome.REJECTED: Label("✗", "rejected", "fail"),
    AttemptOutcome.RETRY: Label("↻", "retry", "warning"),
    AttemptOutcome.HELD: Label("‖", "held", "warning"),
    AttemptOutcome.WITHDRAWN: Label("↶", "withdrawn", "muted"),
    AttemptOutcome.SUBMITTED: Label("○", "submitted", "accent"),
    AttemptOutcome.RAN: Label("»", "agent ran", "agent"),
    AttemptOutcome.CLAIMED: Label("?", "claimed only", "unverified"),
    AttemptOutcome.OPEN: Label("○", "current", "accent"),
}
_ADDRESSED = {
    True: Label("✓", "addressed", "pass"),
    False: Label("✗", "NOT addressed", "fail"),
    None: Label("?", "not measured", "unverified"),
}
_KINDS = {PointKind.REASON: "reason", PointKind.CHECK: "check", PointKind.REMARK: "comment"}
_MINUTE, _HOUR, _DAY = 60, 3_600, 86_400


def label_attempt(outcome: AttemptOutcome) -> Label:
    return _OUTCOMES[outcome]


def label_point(point: RequestedPoint) -> Label:
    return _ADDRESSED[point.addressed]


def name_point(point: RequestedPoint) -> str:
    """What it is about: its kind and subject."""
    if point.kind is PointKind.REMARK and not point.subject:
        return "general comment"
    return render_safe(f"{_KINDS[point.kind]} {point.subject}".rstrip())


def name_number(record: PastAttempt) -> str:
    """`2`, or `now`."""
    return render_safe(record.name.rpartition(":")[2])


def describe_time(seconds: float | None) -> str:
    """`45s`, `12m`, `3h 20m`, `2d 4h`; a dash if unknown."""
    if seconds is None:
        return NOTHING
    whole = int(seconds)
    if whole < _MINUTE:
        return f"{seconds:.1f}s" if seconds < 10 else f"{whole}s"  # noqa: PLR2004 - tenths matter in a short run
    if whole < _HOUR:
        return f"{whole // _MINUTE}m"
    if whole < _DAY:
        return f"{whole // _HOUR}h {whole % _HOUR // _MINUTE:02d}m"
    return f"{whole // _DAY}d {whole % _DAY // _HOUR}h"


def describe_checks(record: PastAttempt) -> str:
    """`7/9`."""
    return NOTHING if record.checks_total is None else f"{record.checks_passed}/{record.checks_total}"


def describe_tests(record: PastAttempt) -> str:
    """`31/33, 2 failed`."""
    numbers = record.tests
    if numbers is None:
        return NOTHING
    told = [f"{number} {word}" for number, word in ((numbers.failed, "failed"), (numbers.skipped, "skipped")) if number]
    return ", ".join([f"{numbers.passed}/{numbers.total}", *told])


def describe_asked(record: PastAttempt) -> str:
    """`2 of 5 addressed`, of what can be measured; a dash if nothing was asked for."""
    if not record.asked:
        return NOTHING
    measured = [point for point in record.asked if point.addressed is not None]
    if not measured:
        return "not measured"
    return f"{sum(point.addressed is True for point in measured)} of {len(measured)} addressed"


def describe_changes(section: ComparedSection | None) -> str:
    """`2 fixed, 1 newly failing`; a dash if unknown, `none` if nothing changed."""
    if section is None:
        return NOTHING
    counts = count_changes(section)
    return ", ".join(f"{number} {label_difference(change).word}" for change, number in counts.items()) or "none"


def describe_who(record: PastAttempt) -> str:
    """Who made it; the first of several, and how many more."""
    names = [run.agent for run in record.runs if run.agent] or list(record.producers)
    unique = list(dict.fromkeys(names))
    if not unique:
        return NOTHING
    return render_safe(unique[0] + (f" +{len(unique) - 1}" if len(unique) > 1 else ""))


def describe_run(run: AttemptRun) -> str:
    """The agent, its outcome, and how long it took."""
    code = "" if run.code is None else f", exit code {run.code}"
    return render_safe(f"{run.agent or 'an agent'}, {run.status}{code}, {describe_time(run.seconds)}")


def describe_when(record: PastAttempt) -> str:
    """When it was decided on, or submitted."""
    told = record.decided or record.handed_over or next((one.when for one in record.claimed if one.when), None)
    return NOTHING if told is None else render_safe(told[:16].replace("T", " "))
