"""A comparison of two attempts, as the public JSON shape and as a page."""

from __future__ import annotations

from collections.abc import Sequence

from handoff_tui.changes.comparison.json import build_section_json
from handoff_tui.changes.comparison.page import add_section
from handoff_tui.changes.files.page import add_file_list, build_files_json
from handoff_tui.core.short_id import SHORT_COMMIT
from handoff_tui.core.text.page import Cell, Column, Page
from handoff_tui.core.text.safe_text import render_safe
from handoff_tui.history.attempts.page import add_changes, add_commits, add_points, build_attempt_json
from handoff_tui.history.attempts.report import AttemptComparison, PastAttempt, ValueChange
from handoff_tui.history.attempts.words import (
    NOTHING,
    describe_checks,
    describe_run,
    describe_tests,
    describe_time,
    describe_when,
    describe_who,
    label_attempt,
)

SCHEMA = "handoff-tui/compare/v1"
_LONGEST = 200
_OTHER_SECTIONS = ("findings", "packages", "dependencies", "files", "measures")


def build_compare_json(comparison: AttemptComparison) -> dict[str, object]:
    """The shape promised to scripts; what couldn't be compared is null."""
    record = comparison.record
    checks = comparison.check_changes
    return {
        "schema": SCHEMA,
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
        "asked": [point.model_dump(mode="json") for point in comparison.asked],
        "commits": None if comparison.commits is None else [one.model_dump(mode="json") for one in comparison.commits],
        "run_changes": None
        if comparison.run_changes is None
        else [one.model_dump(mode="json") for one in comparison.run_changes],
        "files": None if comparison.files is None else build_files_json(comparison.files),
        "fatal": comparison.fatal,
        "notes": list(comparison.notes),
    }


def build_compare_page(comparison: AttemptComparison, *, everything: bool = False) -> Page:
    """Both side by side, then what was asked for, what flipped, how the agents were started, commits and files."""
    page = Page()
    before, after = comparison.before, comparison.after
    page.line(Cell(f"{render_safe(before.name)} → {render_safe(after.name)}", "heading"))
    if comparison.fatal:
        page.line(Cell("! the log is not intact: handoff-tui log verify", "fail"))
    for note in comparison.notes:
        page.line(Cell("! ", "warning"), Cell(render_safe(note)), indent=2)
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


def add_value_changes(page: Page, title: str, changes: Sequence[ValueChange]) -> None:
    """Each value before and now, one below the other."""
    if not changes:
        return
    page.heading(title, str(len(changes)))
    for change in changes:
        page.line(Cell(render_safe(change.what), "key"), indent=2)
        for name, value in (("was", change.before), ("now", change.after)):
            shown = "not set" if value is None else render_safe(value, _LONGEST) or "empty"
            page.line(Cell(f"    {name:<5}", "muted"), Cell(shown), indent=9)


def _list_facts(record: PastAttempt) -> dict[str, str]:
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
