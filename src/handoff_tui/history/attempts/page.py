"""Attempts as pages and public JSON shapes: the list of all, one phase, one attempt."""

from __future__ import annotations

from collections.abc import Sequence

from handoff_tui.agents.step.report import NewCommit
from handoff_tui.changes.comparison.json import build_section_json
from handoff_tui.changes.comparison.snapshot_diff import ComparedSection
from handoff_tui.core.short_id import SHORT_COMMIT, SHORT_ENTRY
from handoff_tui.core.text.labels import label_difference, plural
from handoff_tui.core.text.page import Cell, Column, Page
from handoff_tui.core.text.safe_text import render_safe, render_safe_lines
from handoff_tui.history.attempts.report import (
    AttemptDecision,
    AttemptHistory,
    AttemptRun,
    HistoryList,
    PastAttempt,
    RequestedPoint,
)
from handoff_tui.history.attempts.words import (
    NOTHING,
    describe_asked,
    describe_changes,
    describe_checks,
    describe_run,
    describe_tests,
    describe_time,
    describe_when,
    describe_who,
    label_attempt,
    label_point,
    name_number,
    name_point,
)

SCHEMA = "handoff-tui/history/v1"
LIST_SCHEMA = "handoff-tui/history-list/v1"
_SECTIONS = ("check_changes", "test_changes")


def build_history_json(history: AttemptHistory) -> dict[str, object]:
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


def build_history_list_json(listed: HistoryList) -> dict[str, object]:
    """Every phase with an attempt, newest first."""
    return {
        "schema": LIST_SCHEMA,
        "fatal": listed.fatal,
        "histories": [row.model_dump(mode="json") for row in listed.rows],
    }


def build_attempt_json(record: PastAttempt) -> dict[str, object]:
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
_COLUMNS = (
    Column("attempt", right=True),
    Column("outcome", whole=True),
    Column("who"),
    Column("ran", right=True, rank=4, whole=True),
    Column("worked", right=True, rank=2, whole=True),
    Column("waited", right=True, rank=1, whole=True),
    Column("checks", rank=7, whole=True),
    Column("flipped", rank=6),
    Column("tests", rank=5),
    Column("asked for", rank=8),
    Column("when", rank=3, whole=True),
)


def build_history_list_page(listed: HistoryList, *, everything: bool = False) -> Page:
    """One row per phase, newest first."""
    page = Page()
    if listed.fatal:
        page.line(Cell("! the log is not intact: handoff-tui log verify", "fail"))
    if not listed.rows:
        page.line(Cell("Nothing submitted or decided yet."))
    columns = (
        Column("handoff"),
        Column("phase"),
        Column("attempts", right=True),
        Column("sent back", right=True, rank=3),
        Column("last", whole=True),
        Column("by", rank=2),
        Column("when", rank=1, whole=True),
    )
    shown = listed.rows if everything else listed.rows[:_MOST_ROWS]
    rows: list[tuple[Cell, ...]] = []
    for row in shown:
        label = label_attempt(row.outcome)
        rows.append(
            (
                Cell(render_safe(row.handoff), "key"),
                Cell(render_safe(row.phase)),
                Cell(str(row.attempts)),
                Cell(str(row.sent_back) if row.sent_back else NOTHING),
                Cell(str(label), label.role),
                Cell(render_safe(row.who) or NOTHING),
                Cell(render_safe(row.when[:16].replace("T", " ")) or NOTHING, "muted"),
            )
        )
    page.grid(columns, rows)
    _add_more(page, len(listed.rows) - len(shown), "more")
    return page


def build_history_page(history: AttemptHistory, *, everything: bool = False) -> Page:
    """All attempts in a table, then the newest in detail."""
    page = Page()
    title = f"  {render_safe(history.title, _LONGEST)}" if history.title else ""
    page.line(Cell(render_safe(f"{history.handoff} · {history.phase}"), "heading"), Cell(title, "muted"))
    for note in history.notes:
        page.line(Cell("! ", "warning"), Cell(render_safe(note), "warning"), indent=2)
    if not history.attempts:
        page.line(Cell("No attempts: no log entry, document, agent run or work mentions one."))
        return page
    shown = history.attempts if everything else history.attempts[-_MOST_LISTED:]
    left_out = len(history.attempts) - len(shown)
    _add_more(page, left_out, "earlier attempt" if left_out == 1 else "earlier attempts")
    page.grid(_COLUMNS, [_build_row(record) for record in shown])
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


def build_attempt_page(record: PastAttempt, *, everything: bool = True) -> Page:
    """One attempt in full."""
    page = Page()
    add_attempt(page, record, everything=everything)
    return page


def add_attempt(page: Page, record: PastAttempt, *, everything: bool) -> None:
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


def add_points(page: Page, points: Sequence[RequestedPoint], against: str) -> None:
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
    items = section.items if everything else section.items[:_MOST_ITEMS]
    for item in items:
        label = label_difference(item.change)
        values = f"  {item.before or 'missing'} → {item.after or 'gone'}"
        page.line(Cell(f"    {label}  ", label.role), Cell(render_safe(item.id)), Cell(values, "muted"), indent=6)
    _add_more(page, len(section.items) - len(items), "more")


def add_commits(page: Page, commits: Sequence[NewCommit] | None, since: str, *, everything: bool) -> None:
    """All work commits, newest first; nothing if unknown."""
    if commits is None:
        return
    told = f" since {since}{', by anyone' if commits else ''}" if since else ""
    page.line(Cell(render_safe(f"  {plural(len(commits), 'work commit')}{told}"), "muted"), indent=4)
    shown = commits if everything else commits[:_MOST_ITEMS]
    for commit in shown:
        page.line(
            Cell(f"    {commit.id[:SHORT_COMMIT]} ", "key"),
            Cell(render_safe(commit.subject, _LONGEST)),
            Cell(f"  {render_safe(commit.author)}", "muted"),
            indent=6,
        )
    _add_more(page, len(commits) - len(shown), "more")


def _build_row(record: PastAttempt) -> tuple[Cell, ...]:
    label = label_attempt(record.outcome)
    return (
        Cell(name_number(record), "key"),
        Cell(str(label), label.role),
        Cell(describe_who(record), "agent"),
        Cell(describe_time(record.ran_seconds), "muted"),
        Cell(describe_time(record.worked_seconds), "muted"),
        Cell(describe_time(record.waited_seconds), "muted"),
        Cell(describe_checks(record)),
        Cell(describe_changes(record.check_changes)),
        Cell(describe_tests(record)),
        Cell(describe_asked(record)),
        Cell(describe_when(record), "muted"),
    )


def _add_decision(page: Page, decision: AttemptDecision) -> None:
    aside = decision.void or ("decided otherwise since" if decision.taken_back else "")
    page.line(
        Cell(f"  {decision.verb} ", "muted" if aside else "heading"),
        Cell(f"by {render_safe(decision.actor)} at {decision.time}  {decision.entry[:SHORT_ENTRY]}", "human"),
        Cell(f"  {aside}" if aside else "", "warning"),
    )
    for line in render_safe_lines(decision.reason) if decision.reason else ():
        page.line(Cell("    "), Cell(line), indent=4)


def _add_run(page: Page, run: AttemptRun, *, everything: bool) -> None:
    page.line(Cell(f"  run {run.number}  ", "muted"), Cell(describe_run(run), "agent"), indent=8)
    for reason in run.why:
        page.line(Cell("    "), Cell(render_safe(reason, _LONGEST)), indent=4)
    for line in run.tail if everything else run.tail[-_MOST_ITEMS:]:
        page.line(Cell("    │ ", "border"), Cell(render_safe(line, _LONGEST), "muted"), indent=6)
    if run.output_bytes:
        page.line(Cell(f"    {run.output_bytes:,} bytes in {render_safe(run.output)}", "muted"), indent=4)


def _add_more(page: Page, number: int, what: str) -> None:
    if number > 0:
        page.line(Cell(f"    … and {number:,} {what}; --all shows them", "muted"))
