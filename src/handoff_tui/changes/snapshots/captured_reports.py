"""Reads the reports of a snapshot: tests by id with their outcomes, and coverage."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from decimal import Decimal, InvalidOperation
from typing import Final, NamedTuple

from handoff_tui.changes.snapshots.snapshot import (
    TestOutcome,
    Unread,
    build_stored_text,
)
from handoff_tui.changes.snapshots.tree_contents import TreeContents, build_matcher
from handoff_tui.checks.facts.reports import TestReport, parse_junit, parse_pytest_json, parse_tap
from handoff_tui.checks.report import Outcome
from handoff_tui.core.errors import FileUnreadableError, UnsafePathError
from handoff_tui.core.model import dataclass
from handoff_tui.git.history.commits import read_blobs
from handoff_tui.git.work_tree.capture import CapturedTree
from handoff_tui.git.work_tree.unseen import list_ignored
from handoff_tui.handoffs.claims.evidence import build_hash
from handoff_tui.handoffs.session import Session
from handoff_tui.system.files.decoding import decode_text
from handoff_tui.system.files.reader import FileReader

_WORST = {TestOutcome.PASS: 0, TestOutcome.SKIPPED: 1, TestOutcome.FAIL: 2, TestOutcome.ERROR: 3}


@dataclass(frozen=True, slots=True)
class ReadReport:
    """A test report: each test with its outcome, in order, and what was wrong with the report."""

    path: str
    sha256: str
    tests: tuple[tuple[str, TestOutcome], ...]
    problem: str | None = None


def join_reports(reports: Iterable[ReadReport]) -> tuple[dict[str, TestOutcome], list[Unread]]:
    """Every test once. If reports disagree, the worse outcome counts, and a note says so."""
    outcomes: dict[str, TestOutcome] = {}
    told_by: dict[str, str] = {}
    notes: list[Unread] = []
    for report in sorted(reports, key=lambda report: report.path):
        for identifier, outcome in report.tests:
            earlier = outcomes.setdefault(identifier, outcome)
            told_by.setdefault(identifier, report.path)
            if earlier is outcome:
                continue
            worse = max(earlier, outcome, key=_WORST.__getitem__)
            outcomes[identifier] = worse
            other = told_by[identifier]
            elsewhere = "earlier in it" if other == report.path else f"in {other}"
            text = f"{identifier} is {outcome.value} here and {earlier.value} {elsewhere}; {worse.value} counts"
            notes.append(Unread(path=report.path, reason=build_stored_text(text)))
    return dict(sorted(outcomes.items())), notes


_WHOLE: Final = 10_000
_LCOV: Final = re.compile(rb"^(LF|LH):(\d{1,12})\s*$", re.MULTILINE)


def parse_coverage(path: str, content: bytes) -> int | str:
    """The coverage, or why this report has none."""
    name = path.rpartition("/")[2]
    if name.endswith(".xml"):
        return _parse_cobertura(content)
    return _parse_json(content) if name.endswith(".json") else _parse_lcov(content)


def _parse_cobertura(content: bytes) -> int | str:
    if b"<!ENTITY" in content.replace(b"\0", b""):  # also where it is UTF-16
        return "the report defines entities, which is refused"
    from xml.etree import ElementTree as ET  # noqa: PLC0415 - few repositories keep such a report

    try:
        root = ET.fromstring(content)  # noqa: S314 - entities were refused above
    except (ET.ParseError, LookupError, ValueError) as wrong:  # the last two: an unknown encoding
        return f"the report is not XML: {wrong}"
    if root.tag != "coverage":
        return "the report is no Cobertura report"
    covered, valid = root.get("lines-covered", ""), root.get("lines-valid", "")
    if _is_number(covered) and _is_number(valid) and int(valid) > 0:
        return _divide(int(covered), int(valid))
    try:
        share = Decimal(root.get("line-rate", ""))
        return int((share * _WHOLE).to_integral_value()) if 0 <= share <= 1 else "the line rate is not between 0 and 1"
    except InvalidOperation:
        return "the report has no line rate"


def _parse_json(content: bytes) -> int | str:
    try:
        value = json.loads(content)
    except (ValueError, RecursionError):
        return "the report is not JSON"
    totals = value.get("totals") if isinstance(value, dict) else None
    covered = totals.get("covered_lines") if isinstance(totals, dict) else None
    statements = totals.get("num_statements") if isinstance(totals, dict) else None
    if type(covered) is not int or type(statements) is not int or statements < 1 or not 0 <= covered <= statements:
        return "the report has no totals of lines"
    return _divide(covered, statements)


def _parse_lcov(content: bytes) -> int | str:
    found = {b"LF": 0, b"LH": 0}
    for kind, number in _LCOV.findall(content):
        found[kind] += int(number)
    if not found[b"LF"] > 0 or found[b"LH"] > found[b"LF"]:
        return "the report counts no lines"
    return _divide(found[b"LH"], found[b"LF"])


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= 12  # noqa: PLR2004 - no program has more lines


def _divide(covered: int, valid: int) -> int:
    return min(covered * _WHOLE // valid, _WHOLE)


_OUTCOMES: Final = {
    Outcome.PASS: TestOutcome.PASS,
    Outcome.FAIL: TestOutcome.FAIL,
    Outcome.SKIPPED: TestOutcome.SKIPPED,
}


class ReportReading(NamedTuple):
    """Test reports, coverage in hundredths of a percent (None without a report), and what couldn't be read."""

    reports: tuple[ReadReport, ...]
    coverage: int | None
    unread: tuple[Unread, ...]


class ReportReader:
    """Reads the reports of a captured tree: those in the tree, and those git ignores."""

    def __init__(
        self, session: Session, tree: CapturedTree, contents: TreeContents, objects: Mapping[str, str]
    ) -> None:
        self._session = session
        self._tree = tree
        self._contents = contents
        self._objects = objects
        self._settings = session.loaded.settings.baseline
        self._reader = FileReader(session.repository.root, self._settings.report_bytes)
        self._unread: list[Unread] = []

    def read(self) -> ReportReading:
        ignored = self._list_ignored()
        matches = build_matcher(self._settings.reports).fullmatch
        wanted = sorted({*self._contents.reports, *(path for path in ignored if matches(path))})
        limit = self._settings.reports_maximum
        for path in wanted[limit : limit + 1]:
            self._note(path, f"is one of {len(wanted) - limit:,} test reports beyond the limit of {limit:,}")
        contents = self._read_contents(wanted[:limit], self._contents.reports)
        reports = tuple(_parse(path, content) for path, content in contents.items())
        return ReportReading(reports, self._read_coverage(ignored), tuple(self._unread))

    def _list_ignored(self) -> tuple[str, ...]:
        settings = self._settings
        found = list_ignored(
            self._session.repository.root,
            self._tree.ignored,
            frozenset(settings.skipped_folders),
            settings.entries_maximum,
        )
        if not found.complete:
            self._note(
                "baseline.entries_maximum",
                f"ignored folders have more than {settings.entries_maximum:,} entries; reports beyond are not found",
            )
        return found.paths

    def _read_coverage(self, ignored: tuple[str, ...]) -> int | None:
        """The coverage from the first usable report, in order of the patterns."""
        candidates = sorted({*self._contents.coverage, *ignored})
        tried: set[str] = set()
        for pattern in self._settings.coverage:
            matches = build_matcher((pattern,)).fullmatch
            for path in candidates:
                if path in tried or not matches(path):
                    continue
                tried.add(path)
                for content in self._read_contents([path], self._contents.coverage).values():
                    measured = parse_coverage(path, content)
                    if isinstance(measured, int):
                        return measured
                    self._note(path, measured)
        return None

    def _read_contents(self, paths: list[str], in_tree: Iterable[str]) -> dict[str, bytes]:
        """Reads reports in the tree from git, so they match it whatever happens on disk."""
        names = {f"{self._tree.tree}:{path}": path for path in paths if path in set(in_tree)}
        limit = self._settings.report_bytes
        blobs = read_blobs(self._session.repository.git, list(names), limit, self._objects)
        found = {names[name]: content for name, content in blobs.items() if content is not None}
        for path in paths:
            if path in found:
                continue
            try:
                found[path] = self._reader.read_bytes(path)
            except (FileUnreadableError, UnsafePathError) as refused:
                self._note(path, refused.message.removeprefix(f"{path} "))
        return dict(sorted(found.items()))

    def _note(self, path: str, reason: str) -> None:
        self._unread.append(Unread(path=build_stored_text(path), reason=build_stored_text(reason)))


def _parse(path: str, content: bytes) -> ReadReport:
    report = _parse_by_name(path, content)
    tests = tuple((build_stored_text(case.id), _OUTCOMES.get(case.outcome, TestOutcome.ERROR)) for case in report.cases)
    problem = None if report.problem is None else build_stored_text(report.problem)
    return ReadReport(build_stored_text(path), build_hash(content), tests, problem)


def _parse_by_name(path: str, content: bytes) -> TestReport:
    if path.endswith(".json"):
        return parse_pytest_json(content)
    return parse_tap(decode_text(content).text) if path.endswith(".tap") else parse_junit(content)
