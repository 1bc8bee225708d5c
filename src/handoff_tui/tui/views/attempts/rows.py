"""Attempts as rows of a list, oldest first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from handoff_tui.core.text.columns import Field, Row, build_cells, build_headings
from handoff_tui.core.text.page import Cell
from handoff_tui.history.attempts.report import AttemptHistory, AttemptRecord
from handoff_tui.history.attempts.words import (
    describe_asked,
    describe_changes,
    describe_checks,
    describe_tests,
    describe_time,
    describe_when,
    describe_who,
    label_attempt,
    name_number,
)

_FIELDS: Final = (
    Field("number", "TRY", 4, right=True),
    Field("outcome", "OUTCOME", 14),
    Field("who", "WHO", 12, grows=14),
    Field("ran", "RAN", 7, rank=4, right=True),
    Field("worked", "WORKED", 7, rank=2, right=True),
    Field("waited", "WAITED", 7, rank=1, right=True),
    Field("checks", "CHECKS", 7, rank=7),
    Field("flipped", "FLIPPED", 12, rank=6, grows=24),
    Field("tests", "TESTS", 10, rank=5, grows=20),
    Field("asked", "ASKED FOR", 18, rank=8),
    Field("when", "WHEN (UTC)", 16, rank=3),
)


class AttemptRows:
    """The rows of a history; a key is the attempt's name."""

    def __init__(self, history: AttemptHistory) -> None:
        self.records = history.attempts
        self.keys: Sequence[str] = tuple(record.name for record in self.records)

    def find(self, key: str) -> AttemptRecord | None:
        return next((record for record in self.records if record.name == key), None)

    def build_heading(self, width: int) -> Row:
        return build_headings(_FIELDS, width)

    def build_row(self, index: int, width: int) -> Row:
        record = self.records[index]
        label = label_attempt(record.outcome)
        values: dict[str, Row] = {
            "number": (Cell(name_number(record), "key"),),
            "outcome": (Cell(str(label), label.role),),
            "who": (Cell(describe_who(record), "agent"),),
            "ran": (Cell(describe_time(record.ran_seconds), "muted"),),
            "worked": (Cell(describe_time(record.worked_seconds), "muted"),),
            "waited": (Cell(describe_time(record.waited_seconds), "muted"),),
            "checks": (Cell(describe_checks(record)),),
            "flipped": (Cell(describe_changes(record.check_changes)),),
            "tests": (Cell(describe_tests(record)),),
            "asked": (Cell(describe_asked(record)),),
            "when": (Cell(describe_when(record), "muted"),),
        }
        return build_cells(_FIELDS, values, width)
