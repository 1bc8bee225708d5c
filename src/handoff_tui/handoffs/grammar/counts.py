"""Test numbers in documents: in sentences, fields, tables and output, of one run or of several suites. Pure.

A number has a role. Expected, wanted, former and exemplary numbers aren't results; linters, HTTP codes and money are no
tests.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from handoff_tui.core.classes import dataclass, field, replace
from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.core.place import Place
from handoff_tui.core.tasks import SuiteCounts, TestCounts
from handoff_tui.handoffs.claim import Claim, ClaimKind, build_claim, quote
from handoff_tui.handoffs.grammar.stance import is_silent_heading
from handoff_tui.handoffs.reading.json_document import JsonNode
from handoff_tui.handoffs.reading.markdown import Code, Section, Table, TextLine, list_fields, normalise_name, plain

_NAMES: Final[tuple[str, ...]] = ("total", "passed", "failed", "skipped")
_N: Final = r"(\d{1,9}(?:,\d{3})*)"
_PASS: Final = r"pass(?:ed|ing|es)?|green|succeed(?:ed|ing)?|successful|ok\b"
_FAIL: Final = r"fail(?:ed|ing|s|ures?)?|red\b|broken"
_TESTED: Final = r"(?:(?:unit|e2e|integration|regression|package|new)\s+)?(?:tests?|specs?|examples?|checks?)"
_NO_ROLE: Final = compile_later(
    r"\b(?:expect(?:ed|s)?|targets?|goals?|aims?|should|must|needs?|required?|wants?|before (?:this|the|that|my|our)"
    r"|previously|formerly|earlier|back then|at the time|last"
    r" (?:week|time|session|run|known|good|green|full)|used to|for example|e\.g\.|for instance|would|will"
    r"|if|until|were failing before|make sure|ensure|see to it)\b",
    re.IGNORECASE,
)
_OF_TESTS: Final = compile_later(
    rf"\b(?:tests?(?![/.]\w|/)|specs?|suite|pytest|jest|vitest|{_PASS})\b|✅", re.IGNORECASE
)
_NO_TEST: Final = compile_later(
    r"\b(?:e?s?lint\w*|ruff|mypy|tsc|flake8|pylint|warnings?|http|status codes?|requests?|[45]\d\d errors?|invoices?"
    r"|type errors?|builds?|jobs?|deploy\w*)\b|[$€£]",
    re.IGNORECASE,
)
_HTTP_OK: Final = compile_later(r"\b20\d (?:OK|Created|Accepted)\b")
_OTHER_LINE: Final = compile_later(r"^\W*(?:test )?(?:suites|files|snapshots?)\s*:", re.IGNORECASE)
_PART_OF: Final = compile_later(
    rf"(?<![\w./]){_N}\s*(?:/|\bof\b|\bout of\b)\s*(?:the\s+"
    rf"|all\s+)?{_N}(?![\w/.]\d)(?:\s+(?:\w+\s+){{0,2}}?(?:{_TESTED}\s+)?"
    rf"(?:(?:are|were|have|now|all)\s+)*)?\W{{0,3}}(?:(?P<failed>{_FAIL})|(?P<passed>{_PASS}|✅))?",
    re.IGNORECASE,
)
_OUT_OF: Final = compile_later(
    rf"(?<![\w./]){_N}\s+(?:(?P<failed>{_FAIL})"
    rf"|(?P<passed>{_PASS}))\s+(?:{_TESTED}\s+)?(?:out )?of\s+(?:the\s+)?{_N}\b",
    re.IGNORECASE,
)
_ALL: Final = compile_later(
    rf"\ball\s+(?:of\s+)?(?:the\s+)?{_N}\s+(?:\w+\s+){{0,2}}?{_TESTED}\s+(?:\w+\s+)?(?:{_PASS})", re.IGNORECASE
)
_NUMBER_THEN_WORD: Final = compile_later(
    rf"(?<![\w./])(?<!/ ){_N}\s+(?:{_TESTED}\s+)?(?:(?:is|are|was|were|have|has)\s+)?"
    rf"(?:(?P<passed>{_PASS})|(?P<failed>{_FAIL}|errors?)|(?P<skipped>skipped)|(?P<total>total))\b(?!\s+(?:to|of"
    rf"|out|on to|through|review|by|over to|down|deploy\w*)\b|\s+(?!{_TESTED}|assertions\b|cases\b|suites\b"
    rf"|across\b|is\b"
    rf"|was\b|this\b)[a-z]+s\b|\s+(?:login|request|job|attempt|payment|upload|call|message)\b)",
    re.IGNORECASE,
)
_WORD_THEN_NUMBER: Final = compile_later(
    rf"\b(?:(?P<total>tests run|total(?: tests)?)|(?P<passed>passed|passes)|(?P<failed>failures?|failed|errors?)"
    rf"|(?P<skipped>skipped))"
    rf"\s*[:=]\s*{_N}\b(?!\s*(?:tests?\s+)?(?:pass|fail|skip|of\b|/))",
    re.IGNORECASE,
)
_RAN: Final = compile_later(rf"\b(?:ran|run|executed)\s+{_N}\s+{_TESTED}\b", re.IGNORECASE)
_NONE_FAILED: Final = compile_later(rf"\b(?:no|zero)\s+(?:{_TESTED}\s+)?(?:fail(?:ed|ures?|ing)?)\b", re.IGNORECASE)
_NAMED_BEFORE: Final = compile_later(
    r"(?:\b(?:run|job|step|task|phase|attempt|issue|over|http|version|port|line)|#)\s*$",
    re.IGNORECASE,
)
_SPELLED: Final = {
    word: str(number)
    for number, word in enumerate(
        ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"], start=1
    )
}
_SPELLED_COUNT: Final = compile_later(
    rf"\b({'|'.join(_SPELLED)})(?=\s+(?:out )?of\s+\d|\s+(?:of them\s+|were\s+|was\s+)?(?:{_PASS}|{_FAIL}|skipped"
    rf"|(?:{_TESTED})\b))",
    re.IGNORECASE,
)
_OF_TOTAL: Final = compile_later(
    rf"(?<![\w./]){_N}\s+(?:unit\s+)?(?:tests|specs)\b(?!\s+(?:pass|fail|skip|are"
    rf"|were))",
    re.IGNORECASE,
)
_RUNNER_LINE: Final = compile_later(
    r"^\W*\d+ (?:passed|failed|skipped|errors?|xfailed)\b.* in [\d.:]+ ?m?s\b|^\s*Tests:?\s+\d+ (?:passed|failed"
    r"|skipped|total)|^test result: |^\s*\d+ (?:passing|failing|pending)\b|^\d+ examples?, \d+ failures?"
    r"|^OK \(\d+ tests?|^Ran \d+ tests? in|^Tests: \d+, Assertions: |^(?:\[\w+\] )?Tests run: \d+|^(?:Passed"
    r"|Failed)!\s+- Failed: |tests passed, \d+ tests? failed|^\s*Executed \d+ tests?, with |^# (?:tests|pass"
    r"|fail) \d+$",
)
"""How test runners sum up: such a line is a result wherever it stands."""
_RUNNER_NUMBERS: Final = (
    (
        "total",
        compile_later(
            r"^(?:Ran (\d+) tests? in|(\d+) examples?, \d+ failures?|OK \((\d+) tests?|Tests: (\d+), Assertions: "
            r"|# tests (\d+)$)",
            re.MULTILINE,
        ),
    ),
    ("passed", compile_later(r"^(?:# pass (\d+)$|\s*(\d+) passing\b)", re.MULTILINE)),
    (
        "failed",
        compile_later(
            r"^(?:# fail (\d+)$|\s*(\d+) failing\b|\d+ examples?, (\d+) failures?)|^FAILED.*\bfailures=(\d+)"
            r"|^FAILED.*\berrors=(\d+)|Assertions: \d+.*\bFailures: (\d+)",
            re.MULTILINE,
        ),
    ),
    (
        "skipped",
        compile_later(
            r"^(?:# skipped (\d+)$|\s*(\d+) pending\b)|^(?:OK|FAILED) \(.*\bskipped=(\d+)|, (\d+) pending$",
            re.MULTILINE,
        ),
    ),
)
"""Numbers that a runner puts on lines of their own."""
_ALL_OK: Final = compile_later(r"^OK\b", re.MULTILINE)
_DIGIT: Final = compile_later(r"\d")
_MAY_COUNT: Final = compile_later(
    r"pass|green|succe|ok\b|fail|red\b|broken|error|skipped|total|test|spec|suite|jest|✅"
)
"""In lower case."""
_LEADING_NUMBER: Final = compile_later(r"^~?\s*(\d{1,9}(?:,\d{3})*)\b(?!\s+(?:tests?\s+)?collected\b)")
"""What was collected need not have run."""
_SENTENCE_END: Final = compile_later(r"(?<=[.;!?])\s+|\n+")
_QUOTED: Final = compile_later(r"`[^`\n]*\s[^`\n]*`|\"[^\"\n]*\"")


def parse_number(text: str) -> int | None:
    """The number a value begins with; `N/A (collection interrupted)` has none."""
    match = _LEADING_NUMBER.match(plain(text))
    return _int(match.group(1)) if match else None


def may_count(text: str) -> bool:
    """Whether a text may have test numbers: most have no digit, or no word that such a number stands beside."""
    return _DIGIT.search(text) is not None and _MAY_COUNT.search(text.lower()) is not None


def parse_counts(text: str) -> TestCounts | None:
    """Test numbers in a sentence: `553 passed, 26 failed, 17 skipped`, `113 of 114 tests pass`; None if it has none."""
    if not may_count(text):
        return None
    words = _SPELLED_COUNT.sub(lambda match: _SPELLED[match[1].lower()], plain(text))
    words = _HTTP_OK.sub("", words)
    if _NO_ROLE.search(words) or _OTHER_LINE.match(words) or (_NO_TEST.search(words) and not _OF_TESTS.search(words)):
        return None
    found: dict[str, int] = {}
    rest = _take_parts(words, found)
    sums: dict[str, int] = {}
    for pattern in (_NUMBER_THEN_WORD, _WORD_THEN_NUMBER):
        for match in pattern.finditer(rest):
            if _NAMED_BEFORE.search(rest[: match.start()]) is None:
                number = next(group for group in match.groups() if group and group[0].isdigit())
                name = next(name for name, said in match.groupdict().items() if said)
                sums[name] = sums.get(name, 0) + _int(number)
    # errors count as failures only beside something that is certainly about tests
    if set(sums) == {"failed"} and not _OF_TESTS.search(words) and re.search(r"\berrors?\b", rest, re.IGNORECASE):
        return None
    for name, number in sums.items():
        found.setdefault(name, number)
    ran = _RAN.search(words)
    if ran is not None and found:
        found.setdefault("total", _int(ran.group(1)))
    whole = _OF_TOTAL.search(words)
    if _NONE_FAILED.search(words) and (found or whole):
        found.setdefault("failed", 0)
    if whole is not None and "failed" in found and "total" not in found:
        found["total"] = _int(whole.group(1))
    return TestCounts.model_construct(**found) if found else None


def _take_parts(words: str, found: dict[str, int]) -> str:
    """Fractions and `all 87 tests pass`; returns the words without them."""
    every = _ALL.search(words)
    if every is not None:
        found["total"] = found["passed"] = _int(every.group(1))
        return words[: every.start()] + words[every.end() :]
    out_of = _OUT_OF.search(words)
    if out_of is not None:
        found["failed" if out_of["failed"] else "passed"] = _int(out_of.group(1))
        found["total"] = _int(out_of.groups()[-1])
        return words[: out_of.start()] + words[out_of.end() :]
    for match in _PART_OF.finditer(words):
        part, total = _int(match.group(1)), _int(match.group(2))
        if part <= total and _OF_TESTS.search(words) and (match["passed"] or match["failed"] or "/" in match.group()):
            found["failed" if match["failed"] else "passed"] = part
            found["total"] = total
            return words[: match.start()] + words[match.end() :]
    return words


def _int(text: str) -> int:
    return int(text.replace(",", ""))


def split_sentences(text: str) -> list[str]:
    return [sentence for sentence in _SENTENCE_END.split(text) if sentence.strip()]


def find_counts(text: str) -> tuple[TestCounts, str] | None:
    """The first sentence with test numbers. Numbers of different sentences belong to different runs."""
    if not may_count(text):
        return None
    text = _QUOTED.sub("", text)
    return next(((counts, words) for words in split_sentences(text) if (counts := parse_counts(words))), None)


def claim_counts(counts: TestCounts, scope: str, where: Place, text: str) -> list[Claim]:
    """One claim per number that was given, with subjects such as `package.failed`."""
    return [
        build_claim(ClaimKind.COUNT, where, text, subject=f"{scope}.{name}", value=number)
        for name in _NAMES
        if (number := getattr(counts, name)) is not None
    ]


_FIELD: Final = compile_later(
    r"(?P<total>total(?: tests)?(?: \(.*\))?|(?:installed |staged |staging |unit |all )?tests(?: total"
    r"| run)?(?: \(.*\))?)$|(?P<passed>pass(?:ed|ing)?)$|(?P<failed>fail(?:ed|ing|ures)?|errors?)$"
    r"|(?P<skipped>skipped)$|(?P<command>command)$"
)
_TEST_MEMBER: Final = compile_later(r"^(?:unit |all |final )?tests?(?: results?| summary| status| run| counts?)?$")
_TEST_HEADING: Final = compile_later(r"\b(?:tests?|testing|results?|verif\w+|validation|ci|qa|suite)\b", re.IGNORECASE)
_SUITE_HEADING: Final = compile_later(
    r"\b(?:unit|integration|e2e|end-to-end|functional|smoke|acceptance|contract|component|api|ui|cli|backend|frontend"
    r"|server|client|web|mobile|system|property|snapshot|performance|security|regression|full|all|overall|total"
    r"|combined)\b.*\b(?:tests?|testing|suites?|specs?|results?)\b|\btests?\b\W+\w+\.\w+$|\btest_\w+\.py\b",
    re.IGNORECASE,
)
"""A heading of a suite, wherever it stands."""
_WHOLE_SUITE: Final = compile_later(r"\b(?:total|overall|combined|regression|full|all|sum(?:mary)?)\b", re.IGNORECASE)
_OTHER_RUN: Final = compile_later(
    r"\b(?:attempts?|(?:re-?)?runs?|before|after|baseline|previous(?:ly)?|earlier|former|old|initial|first|second|third"
    r"|final|last|rounds?|iterations?|expected|targets?|planned|historical?|new tests|coverage)\b|\d(?:st|nd|rd|th)\b",
    re.IGNORECASE,
)
"""A heading of the same tests at another time, which aren't a suite beside others."""
_ONE_RESULT: Final = compile_later(r"\W*(?:pass|fail|skip|ok\b)", re.IGNORECASE)
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
    suites: list[Run] = field(default_factory=list)
    """Its parts, each with its label."""

    @property
    def is_complete(self) -> bool:
        return "total" in self.numbers and "passed" in self.numbers

    def counts(self) -> TestCounts:
        suites = tuple(SuiteCounts(name=quote(suite.label), **suite.numbers) for suite in self.suites)
        return TestCounts(**self.numbers, command=self.command, suites=suites)

    def claims(self, scope: str, path: str) -> list[Claim]:
        """One claim per number, at the line on which it stands."""
        claims: list[Claim] = []
        for name in _NAMES:
            if name in self.numbers:
                line = self.places.get(name, TextLine(self.line, self.text))
                counts = TestCounts.model_construct(**{name: self.numbers[name]})
                claims.extend(claim_counts(counts, scope, Place(path=path, line=line.number), line.text))
        return claims

    def words(self) -> str:
        """The numbers in words, for a fact."""
        told = ", ".join(f"{name} {self.numbers[name]}" for name in _NAMES if name in self.numbers)
        return f"{self.label}: {told}" if self.label else told


def find_first_run(sections: Iterable[Section]) -> Run | None:
    """The first run that some sections report; what is planned, expected or former isn't one."""
    told = [_leave_out_code(section) for section in sections if not is_silent_heading(section.name)]
    found = [(section, run) for section in told if (run := find_runs([section])[0]) is not None and run.numbers]
    if not found:
        return None
    first = found[0][0]
    above = _find_above(told)
    beside = [(section, run) for section, run in found if section.level == first.level and _is_suite(section, above)]
    return sum_suites(beside) if _is_suite(first, above) and len(beside) > 1 else found[0][1]


def _find_above(sections: list[Section]) -> dict[int, Section | None]:
    """The section around each, by the line of its heading."""
    found: dict[int, Section | None] = {}
    around: list[Section] = []
    for section in sections:
        while around and around[-1].level >= section.level:
            around.pop()
        found[section.line] = around[-1] if around else None
        around.append(section)
    return found


def _is_suite(section: Section, around: dict[int, Section | None]) -> bool:
    """Whether a heading names a suite: `E2E tests`, or anything right below a heading about tests."""
    if not section.name or _OTHER_RUN.search(section.name):
        return False
    above = around[section.line]
    is_below = above is not None and above.level > 1 and _TEST_HEADING.search(above.name) is not None
    return is_below or _SUITE_HEADING.search(section.name) is not None


def sum_suites(found: list[tuple[Section, Run]]) -> Run | None:
    """The sum of the suites below several headings; None if two have one name. A suite of all is the sum itself."""
    for section, run in found:
        run.label = run.label or plain(section.name)
    suites = [run for _, run in found]
    if len({normalise_name(run.label) for run in suites}) < len(suites):
        return None
    whole = next((run for run in suites if _WHOLE_SUITE.search(run.label)), None)
    if whole is None:
        return _add_up(suites)
    whole.suites = [run for run in suites if run is not whole]
    return whole


def _add_up(suites: list[Run]) -> Run | None:
    """One run with the sums of what every suite says, and with every failure."""
    names = {name for run in suites for name in run.numbers}
    whole = {name for name in names if all(name in run.numbers for run in suites)} | (names & {"failed", "skipped"})
    sums = {name: sum(run.numbers.get(name, 0) for run in suites) for name in _NAMES if name in whole}
    words = "; ".join(run.words() for run in suites)
    return Run(suites[0].line, words, numbers=sums, suites=suites) if sums else None


def _leave_out_code(section: Section) -> Section:
    """Output counts under a heading about tests; elsewhere it may be anybody's."""
    if not section.codes() or _TEST_HEADING.search(section.name):
        return section
    kept = [block for block in section.blocks if not isinstance(block, Code) or _is_result(block)]
    return replace(section, blocks=kept)


def _is_result(code: Code) -> bool:
    """Whether a block is the output of a run, and no form to fill in."""
    return code.language not in {"markdown", "md"} and _sums_up(code)


def _sums_up(code: Code) -> bool:
    return any(map(_RUNNER_LINE.search, code.text.split("\n")))


def find_runs(sections: list[Section]) -> tuple[Run | None, list[Run]]:
    """The run that counts, and the earlier ones. Fields come before tables, tables before output and prose.

    Suites that each have a heading below the first are summed.
    """
    parts = [(section, run) for section in sections[1:] if (run := find_runs([section])[0]) is not None and run.numbers]
    above = _find_above(sections) if parts else {}
    suites = [(section, run) for section, run in parts if _is_suite(section, above)]
    top = min((section.level for section, _ in suites), default=0)
    suites = [(section, run) for section, run in suites if section.level == top]
    if len(suites) > 1 and len(suites) == len(parts) and find_runs(sections[:1])[0] is None:
        total = sum_suites(suites)
        if total is not None:
            return total, []
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
    for line, name, value in list_fields(sections):
        if _ATTEMPT.match(line.text):
            label = quote(plain(line.text).rstrip(": "))
            runs.append(Run(line.number, line.text, label))
            continue
        match = _FIELD.match(name)
        kind = match.lastgroup if match else None
        # a wider table isn't a list of fields, and a sentence in a field is read as one
        if kind is None or line.text.count(" | ") > 1 or (kind != "command" and parse_counts(value) is not None):
            continue
        if not runs or (kind == "total" and (runs[-1].numbers or runs[-1].command)):
            runs.append(Run(line.number, line.text))
        run = runs[-1]
        number = parse_number(value)
        if kind == "command":
            run.command = run.command or value or None
        elif number is not None and "/" not in value.split(" ", 1)[0]:
            run.numbers.setdefault(kind, number)
            run.places.setdefault(kind, line)
    return runs


def _run_of_table(table: Table) -> Run | None:
    """The row of totals; a table of one row is its own; else the sum of the suites."""
    columns = {
        kind: number
        for number, heading in reversed(list(enumerate(table.header)))
        if (match := _FIELD.match(normalise_name(heading))) and (kind := match.lastgroup) in _NAMES
    }
    totals = [row for row in table.rows if row.cells and _TOTAL_ROW.match(normalise_name(row.cells[0]))]
    if not columns or not table.rows:
        return None
    if not totals and len(table.rows) > 1:
        return _sum_rows(table, columns)
    row = totals[-1] if totals else table.rows[0]
    run = Run(row.line, " | ".join(row.cells))
    run.suites = [suite for suite in _list_suites(table, columns) if suite.line != row.line]
    for kind, column in columns.items():
        number = _read_cell(row.cells, column)
        if number is not None:
            run.numbers[kind] = number
    if "total" in run.numbers and any(_ALL_PASS.search(plain(cell)) for cell in row.cells):
        run.numbers.setdefault("passed", run.numbers["total"])
    return run if run.numbers else None


def _sum_rows(table: Table, columns: dict[str, int]) -> Run | None:
    """Several suites, a row each, without a row of totals; None unless each says how many passed or failed."""
    if not {"passed", "failed"} & columns.keys():
        return None
    suites = _list_suites(table, columns)
    sums = {
        kind: sum(suite.numbers[kind] for suite in suites)
        for kind in columns
        if all(kind in suite.numbers for suite in suites)
    }
    return Run(table.line, "; ".join(run.words() for run in suites), numbers=sums, suites=suites) if sums else None


def _list_suites(table: Table, columns: dict[str, int]) -> list[Run]:
    """A run for each row, named by its first cell."""
    runs = [Run(row.line, " | ".join(row.cells), plain(row.cells[0])) for row in table.rows if row.cells]
    for run, row in zip(runs, (row for row in table.rows if row.cells), strict=True):
        cells = {kind: _read_cell(row.cells, column) for kind, column in columns.items()}
        run.numbers = {kind: number for kind, number in cells.items() if number is not None}
    return runs


def find_member_counts(node: JsonNode) -> tuple[TestCounts, Place, str] | None:
    """The numbers that a member about tests holds, as an object of numbers or in words; where, and as written."""
    for member in node.members():
        if not _TEST_MEMBER.match(normalise_name(member.key)):
            continue
        if isinstance(member.value, dict):
            kinds = {
                match.lastgroup: one for one in member.members() if (match := _FIELD.match(normalise_name(one.key)))
            }
            numbers = {kind: one.value for kind, one in kinds.items() if kind in _NAMES and type(one.value) is int}
            counts = TestCounts.model_construct(**numbers) if numbers else None
            said = ", ".join(f"{kind} {number}" for kind, number in numbers.items())
        else:
            said = member.as_text() or ""
            counts = parse_counts(said)
        if counts is not None:
            return counts, member.where, said
    return None


def _read_cell(cells: tuple[str, ...], column: int) -> int | None:
    return parse_number(cells[column]) if column < len(cells) else None


def _run_of_text(sections: list[Section]) -> Run | None:
    """The heading's own numbers, then the last output of a test run, then the sentences that have some."""
    headings = [
        (section.line, section.title, counts) for section in sections if (counts := parse_counts(section.title))
    ]
    if headings and headings[0][0] == sections[0].line:
        return _build_run(*headings[0])
    output: Run | None = None
    prose: list[Run] = []
    for section in sections:
        runs = [run for code in section.codes() if (run := _read_runner(code)) is not None]
        output = runs[-1] if runs else output
        for line in section.lines():
            if line.code and runs:
                continue
            if line.code:
                counts = parse_counts(line.text)
                output = output if counts is None else _build_run(line.number, line.text, counts)
            elif not _is_row_of_one_test(line.text) and (found := find_counts(line.text)) is not None:
                prose.append(_build_run(line.number, found[1], found[0]))
    if output is not None:
        return output
    # several suites under a heading with a number each: nobody stated their sum
    if len(headings) == 1:
        return _build_run(*headings[0])
    return None if headings else _join_suites(prose)


def _read_runner(code: Code) -> Run | None:
    """The numbers of a test runner that needs several lines to tell them."""
    numbers = {
        name: sum(int(group) for match in found for group in match.groups() if group)
        for name, look in _RUNNER_NUMBERS
        if (found := list(look.finditer(code.text)))
    }
    if not numbers or not _sums_up(code):
        return None
    if _ALL_OK.search(code.text) and "total" in numbers:
        numbers.setdefault("failed", 0)
        numbers.setdefault("passed", numbers["total"] - numbers.get("skipped", 0))
    line = next(number for number, text in enumerate(code.text.split("\n")) if _RUNNER_LINE.search(text))
    return Run(code.line + line, code.text.split("\n")[line].strip(), numbers=numbers)


def count_output(text: str) -> TestCounts | None:
    """The numbers with which the test runners of an output sum up; None if none does."""
    run = _read_runner(Code(1, text, ""))
    if run is not None and {"passed", "failed"} & run.numbers.keys():
        return run.counts()
    sums = [counts for line in text.split("\n") if _RUNNER_LINE.search(line) and (counts := parse_counts(line))]
    runs = [_build_run(1, "", counts) for counts in sums]
    whole = _add_up([replace(run, label=str(number)) for number, run in enumerate(runs)]) if runs else None
    return TestCounts.model_construct(**whole.numbers) if whole else None


def _join_suites(runs: list[Run]) -> Run | None:
    """The first run; or, of several suites in a list, the sum, so that a failure in the last one is seen."""
    labels = [_find_label(run.text) for run in runs]
    if len(runs) < 2 or not all(labels) or len(set(labels)) < len(labels):  # noqa: PLR2004 - one run is its own sum
        return next((run for run in runs[1:] if _is_worse(run, runs[0])), runs[0]) if runs else None
    for run, label in zip(runs, labels, strict=True):
        run.label = label
    total = next((run for run in runs if _TOTAL_ROW.match(run.label)), None)
    if total is not None:
        total.suites = [run for run in runs if run is not total]
        return total
    return _add_up(runs) or runs[0]


def _is_worse(run: Run, first: Run) -> bool:
    """Whether it is the first run, with failures that were left out there: all 44 pass; 41 passed, 3 failed."""
    failed = run.numbers.get("failed", 0)
    same = run.numbers.get("passed", 0) + failed == first.numbers.get("total", first.numbers.get("passed"))
    return failed > 0 and same and not first.numbers.get("failed")


def _find_label(text: str) -> str:
    """What stands before the colon of an entry: the name of a suite."""
    return normalise_name(plain(text).partition(":")[0]) if ":" in text else ""


def _is_row_of_one_test(text: str) -> bool:
    return " | " in text and _ONE_RESULT.match(text.rsplit(" | ", 1)[-1]) is not None


def _build_run(line: int, text: str, counts: TestCounts) -> Run:
    numbers = {name: number for name in _NAMES if (number := getattr(counts, name)) is not None}
    total = _TOTAL_IN_PROSE.search(plain(text))
    if total:
        numbers.setdefault("total", int(total.group(1) or total.group(2)))
    return Run(line, text, numbers=numbers)
