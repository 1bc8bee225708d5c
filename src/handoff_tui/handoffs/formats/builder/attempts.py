"""Several results for one handoff: attempts in their order, and the one that counts."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

from handoff_tui.config.settings.root import Builder
from handoff_tui.core.work import Attempt
from handoff_tui.handoffs.formats.builder.grouping import Member
from handoff_tui.handoffs.formats.builder.results import ResultsReading, read_results


class NumberedResults(NamedTuple):
    """A results document and the number of its attempt."""

    number: int
    reading: ResultsReading

    def attempt(self) -> Attempt:
        reading = self.reading
        return Attempt(
            number=self.number,
            agent=reading.agent,
            phase="build",
            status=reading.status,
            summary=reading.summary,
            when=reading.date,
            where=reading.source.place(reading.status_line),
        )


def number_results(members: list[Member], settings: Builder) -> list[NumberedResults]:
    """All results, oldest first. One without a number takes the lowest free one: beside `_ATTEMPT_1` it is newer."""
    readings: list[tuple[int | None, ResultsReading]] = []
    seen: set[str | None] = set()
    for member in members:
        if member.source.readable and member.source.sha256 in seen:
            continue
        seen.add(member.source.sha256)
        reading = read_results(member.source, settings)
        readings.append((member.named.attempt or reading.attempt, reading))
    taken = {number for number, _ in readings if number is not None}
    numbered: list[NumberedResults] = []
    for stated, reading in readings:
        number = stated
        if number is None:
            number = next(free for free in range(1, len(readings) + len(taken) + 1) if free not in taken)
            taken.add(number)
        numbered.append(NumberedResults(number, reading))
    numbered.sort(key=lambda results: (results.number, results.reading.source.path))
    for before, after in pairwise(numbered):
        if before.number == after.number:
            after.reading.source.report(f"is attempt {after.number}, as is {before.reading.source.path}")
    return numbered
