"""What a results document says about the system as a whole: gates, baseline, clean-room installation."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.core.work import Fact
from handoff_tui.handoffs.claim import Claim, ClaimKind
from handoff_tui.handoffs.formats.builder.sections import body, fields, find_section, headed, normalise, normalise_name
from handoff_tui.handoffs.handoff import ClaimedBaseline
from handoff_tui.handoffs.reading.claim_words import build_claim, parse_number, parse_status, quote
from handoff_tui.handoffs.reading.format import Source
from handoff_tui.handoffs.reading.markdown import Section, TextLine, parse_field, plain

_RESULT_WORD: Final = compile_later(r"\b(PASS(?:ED)?|FAIL(?:ED)?|SKIPPED)\b")
_PACKAGES: Final = compile_later(
    r"(?:(?:total )?packages?(?: installed| count| total)?|installed packages?|.*\bpackage count)(?: \(.*\))?$"
)
_TESTS: Final = compile_later(r"(?:total (?:staged )?tests?|tests? total|test count|total test count)\b")
_PACKAGES_IN_PROSE: Final = compile_later(
    r"\b([0-9]{1,6}) (?:total )?packages?(?: (?:were )?installed)?\b", re.IGNORECASE
)
_ALL_PASS: Final = compile_later(r"all\b.*\bpass")


@dataclass(slots=True)
class BaselineReading:
    """The declared baseline, with its claims and what else stands beside it."""

    baseline: ClaimedBaseline | None = None
    claims: list[Claim] = field(default_factory=list)
    facts: list[Fact] = field(default_factory=list)


def find_checks(source: Source) -> list[Claim]:
    """Each gate that is said to have passed or failed."""
    claims: list[Claim] = []
    for section in headed(source.outline):
        if not re.match(r"gates?\b", normalise(section.name)):
            continue
        for part in source.outline.below(section):
            for line, name, value in _check_lines(part):
                token = parse_status(value)
                match = _RESULT_WORD.search(value)
                token = token or (parse_status(match.group(1)) if match else None)
                if token and normalise_name(name) != "command":
                    where = source.place(line.number)
                    claims.append(build_claim(ClaimKind.CHECK, where, line.text, subject=quote(name), value=token))
    return list(dict.fromkeys(claims))


def _check_lines(section: Section) -> Iterator[tuple[TextLine, str, str]]:
    for table in section.tables():
        column = table.column("result", "status", "outcome") or 1
        for row in table.rows:
            if column < len(row.cells):
                yield TextLine(row.line, " | ".join(row.cells)), plain(row.cells[0]), row.cells[column]
    for line in section.lines():
        found = parse_field(line.text)
        if found and " | " not in line.text:
            yield line, *found


def find_baseline(source: Source, standard: tuple[str, ...]) -> BaselineReading:
    """Packages and tests after this work; the rest of the snapshot as facts."""
    reading = BaselineReading()
    section = find_section(source.outline, "Baseline Snapshot")
    if section is None:
        return reading
    parts = body(source.outline, section, standard)
    numbers: dict[str, int] = {}

    def take(subject: str, value: str, line: TextLine) -> bool:
        number = parse_number(value)
        if number is None or subject in numbers:
            return False
        numbers[subject] = number
        where = source.place(line.number)
        reading.claims.append(build_claim(ClaimKind.BASELINE, where, line.text, subject=subject, value=number))
        return True

    for line, name, value in fields(parts):
        subject = "packages" if _PACKAGES.match(name) else "tests" if _TESTS.match(name) else None
        if (subject is None or not take(subject, value, line)) and value:
            where = source.place(line.number)
            reading.facts.append(Fact(name="baseline", value=quote(plain(line.text)), where=where))
    if "packages" not in numbers:
        for line in _prose(parts):
            match = _PACKAGES_IN_PROSE.search(plain(line.text))
            if match and parse_field(line.text) is None and take("packages", match.group(1), line):
                break
    if numbers:
        reading.baseline = ClaimedBaseline(packages=numbers.get("packages"), tests=numbers.get("tests"))
    return reading


def find_clean_room(source: Source, standard: tuple[str, ...]) -> list[Fact]:
    """How many packages were installed, in which order, and whether all passed."""
    section = find_section(source.outline, "Clean-Room Verification")
    if section is None:
        return []
    parts = body(source.outline, section, standard)
    facts: dict[str, Fact] = {}
    for line, name, value in fields(parts):
        label = None
        if _PACKAGES.match(name):
            label = "clean-room packages installed"
        elif name.startswith("install order"):
            label = "clean-room install order"
        elif _ALL_PASS.match(name):
            label = "clean-room all pass"
        if label and value:
            facts.setdefault(label, Fact(name=label, value=quote(value), where=source.place(line.number)))
    for line in _prose(parts):
        match = re.search(r"\b([0-9]{1,6}) packages? installed\b", plain(line.text), re.IGNORECASE)
        if match:
            label = "clean-room packages installed"
            facts.setdefault(label, Fact(name=label, value=match.group(1), where=source.place(line.number)))
    return list(facts.values())


def _prose(sections: list[Section]) -> Iterator[TextLine]:
    for section in sections:
        yield from (line for line in section.lines() if not line.code)
