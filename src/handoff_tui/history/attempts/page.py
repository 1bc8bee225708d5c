"""Attempts as pages and public JSON shapes: the list of all, one phase, one attempt."""

from __future__ import annotations

from collections.abc import Sequence

from handoff_tui.agents.step.page import describe_usage
from handoff_tui.agents.step.report import NewCommit
from handoff_tui.changes.comparison.page import add_section, build_section_json, count_changes
from handoff_tui.changes.comparison.snapshot_diff import ComparedSection
from handoff_tui.changes.files.page import add_file_list, build_files_json
from handoff_tui.core.model import Model
from handoff_tui.core.short_id import SHORT_COMMIT, SHORT_ENTRY
from handoff_tui.core.text.labels import Label, label_difference, plural
from handoff_tui.core.text.page import Cell, Column, Page, TableColumns
from handoff_tui.core.text.safe_text import render_safe, render_safe_lines
from handoff_tui.history.attempts import report

NOTHING = "–"
_OUTCOMES = {
    report.AttemptOutcome.APPROVED: Label("✓", "approved", "pass"),
    report.AttemptOutcome.OVERRIDDEN: Label("!", "overridden", "warning"),
    report.AttemptOutcome.SKIPPED: Label("↷", "skipped", "skipped"),
    report.AttemptOutcome.REJECTED: Label("✗", "rejected", "fail"),
    report.AttemptOutcome.RETRY: Label("↻", "retry", "warning"),
    report.AttemptOutcome.HELD: Label("‖", "held", "warning"),
    report.AttemptOutcome.WITHDRAWN: Label("↶", "withdrawn", "muted"),
    report.AttemptOutcome.SUBMITTED: Label("○", "submitted", "accent"),
    report.AttemptOutcome.RAN: Label("»", "agent ran", "agent"),
    report.AttemptOutcome.CLAIMED: Label("?", "claimed only", "unverified"),
    report.AttemptOutcome.OPEN: Label("○", "current", "accent"),
}
_ADDRESSED = {
    True: Label("✓", "addressed", "pass"),
    False: Label("✗", "NOT addressed", "fail"),
    None: Label("?", "not measured", "unverified"),
}
_KINDS = {report.PointKind.REASON: "reason", report.PointKind.CHECK: "check", report.PointKind.REMARK: "comment"}
_MINUTE, _HOUR, _DAY = 60, 3_600, 86_400


def label_attempt(outcome: report.AttemptOutcome) -> Label:
    return _OUTCOMES[outcome]


def label_point(point: report.RequestedPoint) -> Label:
    return _ADDRESSED[point.addressed]


def name_point(point: report.RequestedPoint) -> str:
    """What it is about: its kind and subject."""
    if point.kind is report.PointKind.REMARK and not point.subject:
        return "general comment"
    return render_safe(f"{_KINDS[point.kind]} {point.subject}".rstrip())


def name_number(record: report.PastAttempt) -> str:
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


def describe_checks(record: report.PastAttempt) -> str:
    """`7/9`."""
    return NOTHING if record.checks_total is None else f"{record.checks_passed}/{record.checks_total}"


def describe_tests(record: report.PastAttempt) -> str:
    """`31/33, 2 failed`."""
    numbers = record.tests
    if numbers is None:
        return NOTHING
    told = [f"{number} {word}" for number, word in ((numbers.failed, "failed"), (numbers.skipped, "skipped")) if number]
    return ", ".join([f"{numbers.passed}/{numbers.total}", *told])


def describe_asked(record: report.PastAttempt) -> str:
    """`2 of 5 addressed`, of what can be measured; a dash if nothing was asked for."""
    if not record.asked:
        return NOTHING
    if not record.asked_against:
        return "no attempt yet"
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


def describe_who(record: report.PastAttempt) -> str:
    """Who made it; the first of several, and how many more."""
    names = [run.agent for run in record.runs if run.agent] or list(record.producers)
    unique = list(dict.fromkeys(names))
    if not unique:
        return NOTHING
    return render_safe(unique[0] + (f" +{len(unique) - 1}" if len(unique) > 1 else ""))


def describe_run(run: report.AttemptRun) -> str:
    """The agent, its outcome, and how long it took."""
    code = "" if run.code is None else f", exit code {run.code}"
    cost = "" if run.usage is None or run.usage.cost is None else f", ${run.usage.cost:.2f}"
    return render_safe(f"{run.agent or 'an agent'}, {run.status}{code}, {describe_time(run.seconds)}{cost}")


def describe_when(record: report.PastAttempt) -> str:
    """When it was decided on, or submitted."""
    told = record.decided or record.handed_over or next((one.when for one in record.claimed if one.when), None)
    return NOTHING if told is None else render_safe(told[:16].replace("T", " "))


SCHEMA = "handoff-tui/history/v1"
LIST_SCHEMA = "handoff-tui/history-list/v1"
_SECTIONS = ("check_changes", "test_changes")


def build_history_json(history: report.AttemptHistory) -> dict[str, object]:
    """The shape promised to scripts; unknown values are null."""
    return {
        "schema": SCHEMA,
        "handoff": history.handoff,
        "phase": history.phase,
        "title": history.title,
        "fatal": history.fatal,
        "attempts": [build_attempt_json(record) for record in history.attempts],
        "notes": list(history.notes),
    }


def build_history_list_json(listed: report.HistoryList) -> dict[str, object]:
    """Every phase with an attempt, newest first."""
    return {
        "schema": LIST_SCHEMA,
        "fatal": listed.fatal,
        "histories": [row.model_dump(mode="json") for row in listed.rows],
    }


def build_attempt_json(record: report.PastAttempt) -> dict[str, object]:
    """One attempt."""
    sections = {name: _build_section(getattr(record, name)) for name in _SECTIONS}
    return {**record.model_dump(mode="json", exclude=set(_SECTIONS)), **sections}


def _build_section(section: ComparedSection | None) -> dict[str, object] | None:
    return None if section is None else build_section_json(section)


_MOST_ROWS = 30
_MOST_LISTED = 20
"""How many of a long history are listed."""
_MOST_DETAILED = 3
_MOST_ITEMS = 8
_LONGEST = 300
_COLUMNS: TableColumns[report.PastAttempt] = (
    (Column("attempt", right=True), lambda one: Cell(name_number(one), "key")),
    (Column("outcome", whole=True), lambda one: _label_cell(one.outcome)),
    (Column("who"), lambda one: Cell(describe_who(one), "agent")),
    (Column("ran", right=True, rank=4, whole=True), lambda one: Cell(describe_time(one.ran_seconds), "muted")),
    (Column("worked", right=True, rank=2, whole=True), lambda one: Cell(describe_time(one.worked_seconds), "muted")),
    (Column("waited", right=True, rank=1, whole=True), lambda one: Cell(describe_time(one.waited_seconds), "muted")),
    (Column("checks", rank=7, whole=True), lambda one: Cell(describe_checks(one))),
    (Column("flipped", rank=6), lambda one: Cell(describe_changes(one.check_changes))),
    (Column("tests", rank=5), lambda one: Cell(describe_tests(one))),
    (Column("asked for", rank=8), lambda one: Cell(describe_asked(one))),
    (Column("when", rank=3, whole=True), lambda one: Cell(describe_when(one), "muted")),
)
_LIST_COLUMNS: TableColumns[report.HistorySummary] = (
    (Column("handoff"), lambda one: Cell(render_safe(one.handoff), "key")),
    (Column("phase"), lambda one: Cell(render_safe(one.phase))),
    (Column("attempts", right=True), lambda one: Cell(str(one.attempts))),
    (Column("sent back", right=True, rank=3), lambda one: Cell(str(one.sent_back) if one.sent_back else NOTHING)),
    (Column("last", whole=True), lambda one: _label_cell(one.outcome)),
    (Column("by", rank=2), lambda one: Cell(render_safe(one.who) or NOTHING)),
    (
        Column("when", rank=1, whole=True),
        lambda one: Cell(render_safe(one.when[:16].replace("T", " ")) or NOTHING, "muted"),
    ),
)


def _label_cell(outcome: report.AttemptOutcome) -> Cell:
    label = label_attempt(outcome)
    return Cell(str(label), label.role)


def build_history_list_page(listed: report.HistoryList, *, everything: bool = False) -> Page:
    """One row per phase, newest first."""
    page = Page()
    if listed.fatal:
        page.line(Cell("! the log is not intact: handoff-tui log verify", "fail"))
    if not listed.rows:
        page.line(Cell("Nothing submitted or decided yet."))
    shown = listed.rows if everything else listed.rows[:_MOST_ROWS]
    page.table(_LIST_COLUMNS, shown)
    page.more(len(listed.rows) - len(shown))
    return page


def build_history_page(history: report.AttemptHistory, *, everything: bool = False) -> Page:
    """All attempts in a table, then the newest in detail."""
    page = Page()
    title = f"  {render_safe(history.title, _LONGEST)}" if history.title else ""
    page.line(Cell(render_safe(f"{history.handoff} · {history.phase}"), "heading"), Cell(title, "muted"))
    for note in history.notes:
        page.warn(note, "warning")
    if not history.attempts:
        page.line(Cell("No attempts: no log entry, document, agent run or work mentions one."))
        return page
    shown = history.attempts if everything else history.attempts[-_MOST_LISTED:]
    left_out = len(history.attempts) - len(shown)
    page.more(left_out, "earlier attempt" if left_out == 1 else "earlier attempts")
    page.table(_COLUMNS, shown)
    detailed = [record for record in history.attempts if record.measured]
    shown_in_full = detailed if everything else detailed[-_MOST_DETAILED:]
    if len(shown_in_full) < len(history.attempts):
        left = plural(len(history.attempts) - len(shown_in_full), "earlier attempt")
        page.blank()
        page.line(Cell(f"… {left} not shown in detail; --all shows them", "muted"))
    for record in shown_in_full:
        page.blank()
        add_attempt(page, record, everything=everything)
    return page


def build_attempt_page(record: report.PastAttempt, *, everything: bool = True) -> Page:
    """One attempt in full."""
    page = Page()
    add_attempt(page, record, everything=everything)
    return page


def add_attempt(page: Page, record: report.PastAttempt, *, everything: bool) -> None:
    """Decisions, what was asked for and whether it was done, what flipped, commits, runs."""
    label = label_attempt(record.outcome)
    commit = f"  commit {record.commit[:SHORT_COMMIT]}" if record.commit else ""
    page.line(
        Cell(f"Attempt {name_number(record)}  ", "heading"),
        Cell(str(label), label.role),
        Cell(f"  {render_safe(record.name)}{commit}", "muted"),
    )
    for decision in record.decisions:
        _add_decision(page, decision)
    for told in record.claimed:
        words = " · ".join(part for part in (told.status, told.agent, told.when, told.summary) if part)
        place = f"  ({told.where})" if told.where else ""
        page.line(
            Cell("  says   ", "muted"), Cell(render_safe(words, _LONGEST)), Cell(render_safe(place), "path"), indent=9
        )
    add_points(page, record.asked, record.asked_against)
    add_changes(page, "checks since the previous attempt", record.check_changes, everything=everything)
    add_changes(page, "tests since the previous attempt", record.test_changes, everything=everything)
    if record.failing:
        page.line(Cell("  failing  ", "muted"), Cell(render_safe(", ".join(record.failing), _LONGEST)), indent=11)
    add_commits(page, record.commits, record.commits_since, everything=everything)
    for run in record.runs:
        _add_run(page, run, everything=everything)
    for note in record.notes:
        page.line(Cell("  ! ", "warning"), Cell(render_safe(note)), indent=4)


def add_points(page: Page, points: Sequence[report.RequestedPoint], against: str) -> None:
    """What was asked for, point by point, and whether it was addressed."""
    if not points:
        return
    measured = f", measured on {render_safe(against)}" if against else ""
    page.line(Cell(f"  asked for{measured}", "muted"))
    for point in points:
        label = label_point(point)
        page.line(
            Cell(f"    {label}  ", label.role),
            Cell(f"{name_point(point)}: ", "key"),
            Cell(render_safe(" ".join(point.text.split()), _LONGEST)),
            Cell(f"  ({render_safe(point.evidence)})", "muted"),
            indent=6,
        )


def add_changes(page: Page, title: str, section: ComparedSection | None, *, everything: bool) -> None:
    """Changes of checks or tests, each by its id."""
    if section is None:
        return
    page.line(Cell(f"  {title}: ", "muted"), Cell(describe_changes(section)))
    for item in page.some(section.items, _MOST_ITEMS, everything=everything):
        label = label_difference(item.change)
        values = f"  {item.before or 'missing'} → {item.after or 'gone'}"
        page.line(Cell(f"    {label}  ", label.role), Cell(render_safe(item.id)), Cell(values, "muted"), indent=6)


def add_commits(page: Page, commits: Sequence[NewCommit] | None, since: str, *, everything: bool) -> None:
    """All work commits, newest first; empty if unknown."""
    if commits is None:
        return
    told = f" since {since}{', by anyone' if commits else ''}" if since else ""
    page.line(Cell(render_safe(f"  {plural(len(commits), 'commit')}{told}"), "muted"), indent=4)
    for commit in page.some(commits, _MOST_ITEMS, everything=everything):
        page.line(
            Cell(f"    {commit.id[:SHORT_COMMIT]} ", "key"),
            Cell(render_safe(commit.subject, _LONGEST)),
            Cell(f"  {render_safe(commit.author)}", "muted"),
            indent=6,
        )


def _add_decision(page: Page, decision: report.AttemptDecision) -> None:
    aside = decision.void or ("decided otherwise since" if decision.taken_back else "")
    page.line(
        Cell(f"  {decision.verb} ", "muted" if aside else "heading"),
        Cell(f"by {render_safe(decision.actor)} at {decision.time}  {decision.entry[:SHORT_ENTRY]}", "human"),
        Cell(f"  {aside}" if aside else "", "warning"),
    )
    for line in render_safe_lines(decision.reason) if decision.reason else ():
        page.line(Cell("    "), Cell(line), indent=4)


def _add_run(page: Page, run: report.AttemptRun, *, everything: bool) -> None:
    page.line(Cell(f"  run {run.number}  ", "muted"), Cell(describe_run(run), "agent"), indent=8)
    if run.usage is not None:
        page.line(Cell("    "), Cell(render_safe(describe_usage(run.usage))), indent=4)
    for reason in run.why:
        page.line(Cell("    "), Cell(render_safe(reason, _LONGEST)), indent=4)
    for line in run.tail if everything else run.tail[-_MOST_ITEMS:]:
        page.line(Cell("    │ ", "border"), Cell(render_safe(line, _LONGEST), "muted"), indent=6)
    if run.output_bytes:
        page.line(Cell(f"    {run.output_bytes:,} bytes in {render_safe(run.output)}", "muted"), indent=4)


COMPARE_SCHEMA = "handoff-tui/compare/v1"
_LONGEST_VALUE = 200
_OTHER_SECTIONS = ("findings", "packages", "dependencies", "files", "measures")


def build_compare_json(comparison: report.AttemptComparison) -> dict[str, object]:
    """The shape promised to scripts; what couldn't be compared is null."""
    record = comparison.record
    checks = comparison.check_changes
    return {
        "schema": COMPARE_SCHEMA,
        "before": build_attempt_json(comparison.before),
        "after": build_attempt_json(comparison.after),
        "checks": None if checks is None else build_section_json(checks),
        "tests": None if record is None else build_section_json(record.tests),
        **{
            name if name != "files" else "declared_files": None
            if record is None
            else build_section_json(record.sections[name])
            for name in _OTHER_SECTIONS
        },
        "asked": _dump(comparison.asked),
        "commits": _dump(comparison.commits),
        "run_changes": _dump(comparison.run_changes),
        "files": None if comparison.files is None else build_files_json(comparison.files),
        "fatal": comparison.fatal,
        "notes": list(comparison.notes),
    }


def _dump(values: Sequence[Model] | None) -> list[dict[str, object]] | None:
    return None if values is None else [value.model_dump(mode="json") for value in values]


def build_compare_page(comparison: report.AttemptComparison, *, everything: bool = False) -> Page:
    """Both side by side, then what was asked for, what flipped, how the agents were started, commits and files."""
    page = Page()
    before, after = comparison.before, comparison.after
    page.line(Cell(f"{render_safe(before.name)} → {render_safe(after.name)}", "heading"))
    if comparison.fatal:
        page.line(Cell("! the log is not intact: handoff-tui log verify", "fail"))
    for note in comparison.notes:
        page.warn(note)
    columns = (Column(""), Column(render_safe(before.name)), Column(render_safe(after.name)))
    old, new = _list_facts(before), _list_facts(after)
    page.grid(columns, [(Cell(name, "muted"), Cell(old[name]), Cell(new[name])) for name in old])
    add_points(page, comparison.asked, after.name)
    add_changes(page, "checks that flipped", comparison.check_changes, everything=everything)
    if comparison.record is not None:
        add_changes(page, "tests", comparison.record.tests, everything=everything)
    add_value_changes(page, "The agents were started differently", comparison.run_changes or ())
    add_commits(page, comparison.commits, before.name, everything=everything)
    if comparison.record is not None:
        for name in _OTHER_SECTIONS:
            section = comparison.record.sections[name]
            if section.items:
                add_section(page, name, section, set(), everything=everything)
    if comparison.files is not None:
        add_file_list(page, comparison.files, everything=everything)
    return page


def add_value_changes(page: Page, title: str, changes: Sequence[report.ValueChange]) -> None:
    """Each value before and now, one below the other."""
    if not changes:
        return
    page.heading(title, str(len(changes)))
    for change in changes:
        page.line(Cell(render_safe(change.what), "key"), indent=2)
        for name, value in (("was", change.before), ("now", change.after)):
            shown = "not set" if value is None else render_safe(value, _LONGEST_VALUE) or "empty"
            page.line(Cell(f"    {name:<5}", "muted"), Cell(shown), indent=9)


def _list_facts(record: report.PastAttempt) -> dict[str, str]:
    return {
        "outcome": str(label_attempt(record.outcome)),
        "who": describe_who(record),
        "when": describe_when(record),
        "ran": describe_time(record.ran_seconds),
        "run": describe_run(record.runs[-1]) if record.runs else NOTHING,
        "commit": record.commit[:SHORT_COMMIT] if record.commit else NOTHING,
        "checks": describe_checks(record),
        "tests": describe_tests(record),
    }
