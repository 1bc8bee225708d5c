"""Attempts side by side, as the public JSON shapes."""

from __future__ import annotations

from handoff_tui.changes.comparison.json import build_section_json
from handoff_tui.changes.comparison.snapshot_diff import Section
from handoff_tui.history.attempts.report import AttemptHistory, AttemptRecord, HistoryList

SCHEMA = "handoff-tui/history/v1"
LIST_SCHEMA = "handoff-tui/history-list/v1"
_SECTIONS = ("check_changes", "test_changes")


def build_history_json(history: AttemptHistory) -> dict[str, object]:
    """The shape promised to scripts; what could not be found out is null."""
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
    """Every phase that somebody tried, newest first."""
    return {
        "schema": LIST_SCHEMA,
        "fatal": listed.fatal,
        "histories": [row.model_dump(mode="json") for row in listed.rows],
    }


def build_attempt_json(record: AttemptRecord) -> dict[str, object]:
    """One attempt."""
    sections = {name: _build_section(getattr(record, name)) for name in _SECTIONS}
    return {**record.model_dump(mode="json", exclude=set(_SECTIONS)), **sections}


def _build_section(section: Section | None) -> dict[str, object] | None:
    return None if section is None else build_section_json(section)
