"""The test numbers that a section of a results document claims."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final

from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.core.tasks import TestCounts
from handoff_tui.handoffs.claim import Claim, quote
from handoff_tui.handoffs.formats.builder import sections as outlines
from handoff_tui.handoffs.reading import claim_words
from handoff_tui.handoffs.reading.format import Source
from handoff_tui.handoffs.reading.markdown import Section, Table, TextLine, plain

_NAMES: Final = ("total", "passed", "failed", "skipped")
_FIELD: Final = compile_later(
    r"(?P<total>total(?: tests)?(?: \(.*\))?|tests(?: total| run)?)$|(?P<passed>pass(?:ed|ing)?)$"
    r"|(?P<failed>fail(?:ed|ing|ures)?|errors?)$|(?P<skipped>skipped)$|(?P<command>command)$"
)
_ATTEMPT: Final = compile_later(r"\W*attempt\s+#?[0-9]{1,3}\b", re.IGNORECASE)
_TOTAL_ROW: Final = compile_later(r"(?:grand )?(?:total|overall|sum|all)\b")
_TOTAL_IN_PROSE: Final = compile_later(
    r"\b([0-9]{1,9}) (?:tests? )?(?:in )?total\b|\btotal\W{1,3}([0-9]{1,9})\b", re.IGNORECASE
)
_ALL_PASS: Final = compile_later(r"\ball\b.*\bpass", re.IGNORECASE)


@dataclass(slots=True)
class Run:
    """One test run as reported, and the line on which the report begins."""

    line: int
    text: str
    label: str = ""
    numbers: dict[str, int] = field(default_factory=dict)
    places: dict[str, TextLine] = field(default_factory=dict)
    """The line of each number that is on a separate line."""
    command: str | None = None

    @property
    def is_complete(self) -> bool:
        return "total" in self.numbers and "passed" in self.numbers

    def counts(self) -> TestCounts:
        return TestCounts(**self.numbers, command=self.command)

    def claims(self, scope: str, source: Source) -> list[Claim]:
        """One claim per number, at the line on which it stands."""
        claims: list[Claim] = []
        for name in _NAMES:
            if name in self.numbers:
                line = self.places.get(name, TextLine(self.line, self.text))
                counts = TestCounts.model_construct(**{name: self.numbers[name]})
                claims.extend(claim_words.claim_counts(counts, scope, source.place(line.number), line.text))
        return claims

    def words(self) -> str:
        """The numbers in words, for a fact."""
        told = ", ".join(f"{name} {self.numbers[name]}" for name in _NAMES if name in self.numbers)
        return f"{self.label}: {told}" if self.label else told


def find_runs(sections: list[Section]) -> tuple[Run | None, list[Run]]:
    """The run that counts, and the earlier ones. Fields come before tables, tables before output and prose."""
    runs = _runs_of_fields(sections)
    told = [run for run in runs if run.numbers]
    if told:
        chosen = next((run for run in reversed(told) if run.is_complete), told[-1])
        return chosen, [run for run in told if run is not chosen]
    tables = (table for section in sections for table in section.tables())
    run = next(filter(None, map(_run_of_table, tables)), None) or _run_of_text(sections)
    if run is not None:
        run.command = run.command or next((lone.command for lone in runs if lone.command), None)
    return run, []


def complete_with(run: Run, more: TestCounts | None) -> None:
    """Adds the numbers of another sentence about the same run, unless the two contradict each other."""
    if more is None:
        return
    others = {name: number for name in _NAMES if (number := getattr(more, name)) is not None}
    if all(run.numbers.get(name, number) == number for name, number in others.items()):
        run.numbers = {**others, **run.numbers}


def _runs_of_fields(sections: list[Section]) -> list[Run]:
    runs: list[Run] = []
    label = ""
    for line, name, value in outlines.fields(sections):
        if _ATTEMPT.match(line.text):
            label = quote(plain(line.text).rstrip(": "))
            runs.append(Run(line.number, line.text, label))
            continue
        match = _FIELD.match(name)
        kind = match.lastgroup if match else None
        if kind is None or line.text.count(" | ") > 1:  # a wider table is no list of fields
            continue
        if not runs or (kind == "total" and (runs[-1].numbers or runs[-1].command)):
            runs.append(Run(line.number, line.text))
        run = runs[-1]
        number = claim_words.parse_number(value)
        if kind == "command":
            run.command = run.command or value or None
        elif number is not None and "/" not in value.split(" ", 1)[0]:
            run.numbers.setdefault(kind, number)
            run.places.setdefault(kind, line)
    return runs


def _run_of_table(table: Table) -> Run | None:
    """The row of totals; a table of one row is its own."""
    columns = {
        kind: number
        for number, heading in reversed(list(enumerate(table.header)))
        if (match := _FIELD.match(outlines.normalise_name(heading))) and (kind := match.lastgroup) in _NAMES
    }
    totals = [row for row in table.rows if row.cells and _TOTAL_ROW.match(outlines.normalise_name(row.cells[0]))]
    row = totals[-1] if totals else (table.rows[0] if len(table.rows) == 1 else None)
    if row is None or not columns:
        return None
    run = Run(row.line, " | ".join(row.cells))
    for kind, column in columns.items():
        number = claim_words.parse_number(row.cells[column]) if column < len(row.cells) else None
        if number is not None:
            run.numbers[kind] = number
    if "total" in run.numbers and any(_ALL_PASS.search(plain(cell)) for cell in row.cells):
        run.numbers.setdefault("passed", run.numbers["total"])
    return run if run.numbers else None


def _run_of_text(sections: list[Section]) -> Run | None:
    """The heading's own numbers, then the last output of a test run, then the first sentence that has some."""
    headings = [
        (section.line, section.title, counts)
        for section in sections
        if (counts := claim_words.parse_counts(section.title))
    ]
    if headings and headings[0][0] == sections[0].line:
        return _build_run(*headings[0])
    output: Run | None = None
    prose: Run | None = None
    for section in sections:
        for line in section.lines():
            counts = claim_words.parse_counts(line.text)
            if counts is None:
                continue
            if line.code:
                output = _build_run(line.number, line.text, counts)
            elif prose is None and not _is_row_of_one_test(line.text):
                prose = _build_run(line.number, line.text, counts)
    if output is not None:
        return output
    # several suites with a number each: nobody stated their sum
    if len(headings) == 1:
        return _build_run(*headings[0])
    return None if headings else prose


def _is_row_of_one_test(text: str) -> bool:
    return " | " in text and claim_words.parse_status(text.rsplit(" | ", 1)[-1]) is not None


def _build_run(line: int, text: str, counts: TestCounts) -> Run:
    numbers = {name: number for name in _NAMES if (number := getattr(counts, name)) is not None}
    total = _TOTAL_IN_PROSE.search(plain(text))
    if total:
        numbers.setdefault("total", int(total.group(1) or total.group(2)))
    return Run(line, text, numbers=numbers)
