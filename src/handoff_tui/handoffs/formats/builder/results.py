"""Results documents: what the agent says it did, and that it works."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import takewhile
from typing import Final

from handoff_tui.config.settings.root import Builder
from handoff_tui.core.classes import NamedTuple, dataclass, field, replace
from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.core.tasks import Fact, TestCounts
from handoff_tui.handoffs.claim import Claim, ClaimKind, quote
from handoff_tui.handoffs.formats.builder import sections as outlines
from handoff_tui.handoffs.formats.builder.names import UNREAD, find_ids, find_packages
from handoff_tui.handoffs.grammar.author_words import find_words
from handoff_tui.handoffs.grammar.claims import find_claims
from handoff_tui.handoffs.grammar.counts import (
    Run,
    claim_counts,
    complete_with,
    find_first_run,
    find_runs,
    parse_counts,
    parse_number,
    sum_suites,
)
from handoff_tui.handoffs.handoff import AuthorWord, ClaimedBaseline
from handoff_tui.handoffs.reading import claim_words
from handoff_tui.handoffs.reading.format import Source
from handoff_tui.handoffs.reading.markdown import (
    Item,
    Outline,
    Paragraph,
    Section,
    TextLine,
    list_fields,
    normalise_name,
    parse_field,
    plain,
)

_STATUS_LABEL: Final = compile_later(r"^\W*status\W*", re.IGNORECASE)
_ABOUT_TESTS: Final = compile_later(r"regression|tests?|suite", re.IGNORECASE)
_OF_TESTS: Final = compile_later(r"\btests?\b", re.IGNORECASE)
_GATES: Final = compile_later(r"gates?\b")
_INSTALLED: Final = compile_later(r"\b([0-9]{1,6}) packages? installed\b", re.IGNORECASE)

_STATUS_FIELDS: Final = ("status", "overall status", "result", "overall result", "outcome")


class StatusReading(NamedTuple):
    """A status token, the words it came from, and their line."""

    token: str
    text: str
    line: int
    claim: Claim
    facts: tuple[Fact, ...] = ()


def find_status(source: Source) -> StatusReading | None:
    """The first status that can be read; words that aren't a status are reported."""
    candidates = list(_stated(source))
    for line, text in candidates:
        if is_template(text):
            source.report(f"states no status: {quote(text)} is the unfilled choice from the template", line)
        elif (token := claim_words.parse_status(text)) is not None:
            return _build(source, token, text, line)
        else:
            source.report(f"has a status that is not a known word: {quote(text)}", line)
    closing: TextLine | None = None
    for written in source.outline.lines():
        if not written.code and not is_template(written.text) and claim_words.parse_verdict(written.text) is not None:
            closing = written
    verdict = claim_words.parse_verdict(closing.text) if closing else None
    return _build(source, verdict, closing.text, closing.number) if closing and verdict else None


def is_template(text: str) -> bool:
    """Whether a status is the unfilled choice `PASS | FAIL | PARTIAL`."""
    return (
        len([part for part in text.replace("/", "|").split("|") if claim_words.parse_status(part.rpartition(":")[2])])
        > 1
    )


def _stated(source: Source) -> Iterator[tuple[int, str]]:
    for section in outlines.headed(source.outline):
        name = section.name
        if outlines.normalise(name).partition(" ")[0] != "status":
            continue
        value = _STATUS_LABEL.sub("", plain(name))
        if value:
            yield section.line, value
            continue
        first = next((line for line in section.lines() if line.text.strip()), None)
        if first is not None:
            yield first.number, plain(first.text)
    for line, name, value in list_fields(outlines.preamble(source.outline)):
        if name in _STATUS_FIELDS and value:
            yield line.number, value


def _build(source: Source, token: str, text: str, line: int) -> StatusReading:
    words = quote(plain(text))
    extra = words.upper().strip(" .!*") != token
    facts = (source.fact("status in words", words, line),) if extra else ()
    return StatusReading(token, text, line, source.claim(ClaimKind.STATUS, line, text, value=token), facts)


_RESULT_WORD: Final = compile_later(r"\b(PASS(?:ED)?|FAIL(?:ED)?|SKIPPED)\b")
_PACKAGES: Final = compile_later(
    r"(?:(?:total )?packages?(?: installed| count| total)?|installed packages?|.*\bpackage count)(?: \(.*\))?$"
)
_TESTS: Final = compile_later(r"(?:total (?:staged )?tests?|tests? total|test count|total test count)\b")
_PACKAGES_IN_PROSE: Final = compile_later(
    r"\b([0-9]{1,6}) (?:total )?packages?(?: (?:were )?installed)?\b", re.IGNORECASE
)
_ALL_PASS: Final = compile_later(r"all\b.*\bpass")
_SUM: Final = compile_later(r"\+.*=\s*([0-9]{1,6})\b")


@dataclass(slots=True)
class BaselineReading:
    """The declared baseline, with its claims and the facts beside it."""

    baseline: ClaimedBaseline | None = None
    claims: list[Claim] = field(default_factory=list)
    facts: list[Fact] = field(default_factory=list)


def find_checks(source: Source) -> list[Claim]:
    """Each gate that is said to have passed or failed."""
    claims: list[Claim] = []
    for section in outlines.headed(source.outline):
        if not _GATES.match(outlines.normalise(section.name)):
            continue
        for part in source.outline.below(section):
            for line, name, value in _check_lines(part):
                token = claim_words.parse_status(value)
                match = _RESULT_WORD.search(value)
                token = token or (claim_words.parse_status(match.group(1)) if match else None)
                if token and normalise_name(name) != "command":
                    subject = quote(name)
                    claims.append(source.claim(ClaimKind.CHECK, line.number, line.text, subject=subject, value=token))
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
    section = outlines.find_section(source.outline, "Baseline Snapshot")
    if section is None:
        return reading
    parts = outlines.body(source.outline, section, standard)
    numbers: dict[str, int] = {}
    listed = _list_packages(parts)

    def take(subject: str, value: str, line: TextLine) -> bool:
        number = _parse_sum(value)
        if number is None or subject in numbers:
            return False
        numbers[subject] = number
        if subject == "packages" and listed and len(listed) != number:
            source.report(f"says {number} packages, but lists {len(listed)}", line.number)
        reading.claims.append(source.claim(ClaimKind.BASELINE, line.number, line.text, subject=subject, value=number))
        return True

    for line, name, value in list_fields(parts):
        subject = "packages" if _PACKAGES.match(name) else "tests" if _TESTS.match(name) else None
        if (subject is None or not take(subject, value, line)) and value:
            reading.facts.append(source.fact("baseline", quote(plain(line.text)), line.number))
    if "packages" not in numbers:
        for line in _prose(parts):
            match = _PACKAGES_IN_PROSE.search(plain(line.text))
            if match and parse_field(line.text) is None and take("packages", match.group(1), line):
                break
    if numbers:
        reading.baseline = ClaimedBaseline(packages=numbers.get("packages"), tests=numbers.get("tests"))
    return reading


def _parse_sum(value: str) -> int | None:
    """The number of a value, or of the sum that it ends with: `8 bootstrap + 4 Layer 3 = 12 total`."""
    total = _SUM.search(plain(value))
    return int(total.group(1)) if total else parse_number(value)


def _list_packages(sections: list[Section]) -> list[str]:
    """The packages that a section lists: several on a line, or a list item each."""
    names = [find_packages(line.text) for line in _prose(sections)]
    alone = [found[0] for found in names if len(found) == 1]
    together = [name for found in names if len(found) > 1 for name in found]
    return list(dict.fromkeys(together or (alone if len(alone) > 1 else ())))


def find_clean_room(source: Source, standard: tuple[str, ...]) -> list[Fact]:
    """How many packages were installed, in which order, and whether all passed."""
    section = outlines.find_section(source.outline, "Clean-Room Verification")
    if section is None:
        return []
    parts = outlines.body(source.outline, section, standard)
    facts: dict[str, Fact] = {}
    for line, name, value in list_fields(parts):
        label = None
        if _PACKAGES.match(name):
            label = "clean-room packages installed"
        elif name.startswith("install order"):
            label = "clean-room install order"
        elif _ALL_PASS.match(name):
            label = "clean-room all pass"
        if label and value:
            facts.setdefault(label, source.fact(label, quote(value), line.number))
    for line in _prose(parts):
        match = _INSTALLED.search(plain(line.text))
        if match:
            label = "clean-room packages installed"
            facts.setdefault(label, source.fact(label, match.group(1), line.number))
    return list(facts.values())


def _prose(sections: list[Section]) -> Iterator[TextLine]:
    for section in sections:
        yield from (line for line in section.lines() if not line.code)


_REGRESSION: Final = compile_later(r"\b(?:regressions?|all staged|all packages|full suite)\b", re.IGNORECASE)
_PACKAGE_LABEL: Final = compile_later(
    r"(?:package:?\s*)?(PKG-[A-Z0-9]+(?:-[A-Z0-9]+)*)(?:\s*\([^()]*\))?:?$", re.IGNORECASE
)
"""A line that only says whose numbers follow."""
_ALL_PACKAGES: Final = "all packages"
_ONE_PACKAGE: Final = 2
"""The parts of a section about one package: what is about all, and that one."""
_THIS_PACKAGE: Final = compile_later(r"\bthis package\b", re.IGNORECASE)
_BACKFILL: Final = compile_later(
    r"\W*backfill|.*\bthis (?:file|document|results?)\b.*\bbackfill|.*\bresults\W+backfill", re.IGNORECASE
)
_ATTEMPT_IN_TITLE: Final = compile_later(r"\battempt\s+#?([0-9]{1,3})\b", re.IGNORECASE)
_AGENT_FIELDS: Final = ("agent", "platform", "builder", "built by", "author", "executed by")


@dataclass(slots=True)
class ResultsReading:
    """What one results document says."""

    source: Source
    status: str | None = None
    status_line: int | None = None
    attempt: int | None = None
    agent: str | None = None
    date: str | None = None
    summary: str | None = None
    superseded: bool = False
    claims: list[Claim] = field(default_factory=list)
    facts: list[Fact] = field(default_factory=list)
    tests: TestCounts | None = None
    regression: TestCounts | None = None
    baseline: ClaimedBaseline | None = None
    missing: tuple[str, ...] = ()
    words: tuple[AuthorWord, ...] = ()


def read_results(source: Source, settings: Builder) -> ResultsReading:
    """Reads one document, once per file; None for what it doesn't say. Callers don't change the result."""
    return replace(source.read_once("builder.results", _read, settings), source=source)


def _read(source: Source, settings: Builder) -> ResultsReading:
    reading = ResultsReading(source)
    if not source.readable:
        return reading
    _read_head(reading)
    reading.words = find_words(source, source.outline.sections)
    status = find_status(source)
    if status is not None:
        reading.status, reading.status_line = status.token, status.line
        reading.superseded = status.token == "SUPERSEDED"
        reading.claims.append(status.claim)
        reading.facts.extend(status.facts)
    _read_missing(reading, settings.results_sections)
    _read_tests(reading, settings, status.text if status else "")
    reading.claims.extend(
        find_claims(source.outline.sections, source.path, _find_package(source), front=source.frontmatter)
    )
    reading.claims.extend(find_checks(source))
    baseline = find_baseline(source, settings.results_sections)
    reading.baseline = baseline.baseline
    reading.claims.extend(baseline.claims)
    reading.facts.extend(baseline.facts)
    reading.facts.extend(find_clean_room(source, settings.results_sections))
    _read_backfill(reading)
    return reading


def _read_missing(reading: ResultsReading, standard: tuple[str, ...]) -> None:
    """The sections that it should have; none if it has others only, in another language perhaps."""
    source = reading.source
    missing = outlines.missing_sections(source.outline, standard)
    unknown = outlines.headed(source.outline)
    if unknown and len(missing) == len(standard) and reading.status is None:
        source.report("no heading is understood, so it can't be told what is missing", unknown[0].line)
        reading.facts.append(source.fact(UNREAD, "yes", unknown[0].line))
        return
    has_status = reading.status is not None
    reading.missing = tuple(name for name in missing if not (outlines.normalise(name) == "status" and has_status))


def _find_package(source: Source) -> str:
    """The package that a document is about, by its title and head; empty if they name none or several."""
    head = (line.text for section in outlines.preamble(source.outline) for line in section.lines())
    found = find_packages("\n".join((source.outline.title or "", *head)))
    return found[0] if len(found) == 1 else ""


def _read_head(reading: ResultsReading) -> None:
    source = reading.source
    title = source.outline.title or ""
    match = _ATTEMPT_IN_TITLE.search(title)
    reading.attempt = int(match.group(1)) if match else None
    agents: dict[str, str] = {}
    for line, name, value in list_fields(outlines.preamble(source.outline)):
        if not value:
            continue
        if name in _AGENT_FIELDS:
            agents.setdefault(name, value)
        elif name in {"date", "completed", "created"}:
            reading.date = reading.date or value
        elif name == "attempt":
            reading.attempt = parse_number(value) or reading.attempt
        elif name == "branch":
            reading.claims.append(source.claim(ClaimKind.BRANCH, line.number, line.text, value=value))
        if name not in {"status", "attempt"}:
            reading.facts.append(source.fact(name, quote(value), line.number))
    # an agent is at times only called by the handoff it worked on; another field then says who it was
    names = [agents[name] for name in _AGENT_FIELDS if name in agents]
    reading.agent = next((name for name in names if not find_ids(name)), names[0] if names else None)
    summary = outlines.find_section(source.outline, "Summary")
    paragraphs = summary.paragraphs() if summary else []
    reading.summary = plain(" ".join(paragraphs[0].text.split())) if paragraphs else None


def _read_tests(reading: ResultsReading, settings: Builder, status_text: str) -> None:
    """The package's own tests and the full regression; other sections with numbers become facts."""
    own: list[Section] = []
    regression: list[Section] = []
    other: list[Section] = []
    for section in outlines.headed(reading.source.outline):
        words = section.name
        if _REGRESSION.search(words) and _ABOUT_TESTS.search(words):
            regression.append(section)
        elif outlines.is_heading_of(words, "Test Results"):
            own.append(section)
        elif _OF_TESTS.search(words):
            other.append(section)
    own.sort(key=lambda section: (_THIS_PACKAGE.search(section.name) is None, section.line))
    covered: set[int] = set()
    named = _name_packages(reading.source.outline, own)
    count = len(own) if named else 1
    reading.tests = _read_scope(reading, "package", own[:count], settings, covered, status_text)
    reading.regression = _read_scope(reading, "regression", regression[:1], settings, covered)
    if not own and not regression and reading.tests is None:
        outline = reading.source.outline
        snapshot = outlines.find_section(outline, "Baseline Snapshot")
        counted = outlines.body(outline, snapshot, settings.results_sections) if snapshot is not None else []
        run = find_first_run(section for section in outline.sections if section not in counted)
        if run is not None:
            reading.tests = run.counts()
            reading.claims.extend(run.claims("package", reading.source.path))
            covered.update(section.line for section in other)
    for section in sorted([*own[count:], *regression[1:], *other], key=lambda section: section.line):
        run = None if section.line in covered else find_runs([section])[0]
        if run is not None and run.is_complete:
            fact = reading.source.fact("other test run", f"{section.name}: {run.words()}", run.line)
            reading.facts.append(fact)


def _read_scope(
    reading: ResultsReading,
    scope: str,
    sections: list[Section],
    settings: Builder,
    covered: set[int],
    status_text: str = "",
) -> TestCounts | None:
    outline = reading.source.outline
    counted = parse_counts(status_text)
    bodies = [outlines.body(outline, section, settings.results_sections) for section in sections]
    parts = [part for body in bodies for part in body]
    covered.update(part.line for part in parts)
    packages = _name_packages(outline, sections) or _split_packages(parts)
    run, earlier = (_sum_packages(packages), []) if packages else find_runs(parts) if parts else (None, [])
    if run is None:
        if counted is not None and reading.status_line is not None:
            where = reading.source.place(reading.status_line)
            reading.claims.extend(claim_counts(counted, scope, where, status_text))
        return counted
    complete_with(run, counted)
    reading.claims.extend(run.claims(scope, reading.source.path))
    reading.facts.extend(reading.source.fact(f"other {scope} run", run.words(), run.line) for run in earlier)
    _read_new_failures(reading, parts)
    return run.counts()


def _name_packages(outline: Outline, sections: list[Section]) -> list[tuple[str, list[Section]]]:
    """Each section with the one package that its heading, or the heading above it, names; none if any names none."""
    named: dict[str, list[Section]] = {}
    for section in sections:
        before = outline.sections[: outline.sections.index(section)]
        above = next((one.name for one in reversed(before) if one.level < section.level), "")
        found = find_packages(section.name) or find_packages(above)
        if len(found) == 1:
            named.setdefault(found[0], []).extend(outline.below(section))
    return list(named.items()) if len(named) == len(sections) > 1 else []


def _split_packages(sections: list[Section]) -> list[tuple[str, list[Section]]]:
    """The parts of one section below lines that each name a package; none unless there are several.

    What stands above them is about all packages.
    """
    named: dict[str, list[Section]] = {_ALL_PACKAGES: []}
    if not any("PKG-" in line.text.upper() for section in sections for line in section.lines()):
        return []
    for section in sections:
        part = replace(section, blocks=[])
        named[_ALL_PACKAGES].append(part)
        for block in section.blocks:
            label = _PACKAGE_LABEL.match(plain(block.text)) if isinstance(block, Paragraph | Item) else None
            if label is not None:
                part = replace(section, title=label[1], blocks=[])
                named.setdefault(label[1], []).append(part)
            else:
                part.blocks.append(block)
    return list(named.items()) if len(named) > _ONE_PACKAGE else []


def _sum_packages(packages: list[tuple[str, list[Section]]]) -> Run | None:
    """The sum of what the packages report; a package without numbers adds none."""
    suites: list[tuple[Section, Run]] = []
    for name, sections in packages:
        run, _ = find_runs(sections)
        if run is not None and run.numbers:
            run.label = name
            suites.append((sections[0], run))
    return sum_suites(suites) if suites else None


def _read_new_failures(reading: ResultsReading, sections: list[Section]) -> None:
    """`NONE`, a sentence, or the list below it."""
    items = [item for section in sections for item in section.items()]
    for line, name, value in list_fields(sections):
        if not name.startswith("new failures"):
            continue
        told = value or "; ".join(plain(item.text) for item in _items_below(items, line.number))
        fact = reading.source.fact("new failures introduced", quote(told) or "(nothing)", line.number)
        reading.facts.append(fact)
        return


def _items_below(items: list[Item], line: int) -> list[Item]:
    depth = next((item.depth for item in items if item.line == line), 0)
    return list(takewhile(lambda item: item.depth > depth, (item for item in items if item.line > line)))


def _read_backfill(reading: ResultsReading) -> None:
    """Marks a results file that says it was written later by someone else."""
    source = reading.source
    title = source.outline.title or ""
    if "backfill" in title.lower():
        reading.facts.append(source.fact("backfill", quote(title), 1))
        return
    if "backfill" not in source.text.lower():
        return
    for line in source.outline.lines():
        if not line.code and _BACKFILL.match(plain(line.text)):
            reading.facts.append(source.fact("backfill", quote(plain(line.text)), line.number))
            return
