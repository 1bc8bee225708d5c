"""What a tree contributes to a snapshot: packages, test reports and coverage, and counts of files, lines and to-dos."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final

from handoff_tui.changes.snapshots.packages import (
    MOST_PACKAGE_BYTES,
    EcosystemReading,
    build_unread,
    is_ecosystem_file,
    parse_ecosystem_file,
)
from handoff_tui.changes.snapshots.snapshot import (
    PackageRecord,
    TestOutcome,
    Unread,
    build_stored_text,
)
from handoff_tui.checks.facts.reports import TestReport, parse_junit, parse_pytest_json, parse_tap
from handoff_tui.checks.report import Outcome
from handoff_tui.config.settings.review import Baseline
from handoff_tui.core.classes import NamedTuple, dataclass
from handoff_tui.core.errors import FileUnreadableError, GitError, UnsafePathError
from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.core.model import Model
from handoff_tui.core.restored import restore
from handoff_tui.git.command import Git
from handoff_tui.git.history.commits import read_blobs
from handoff_tui.git.objects.tree_files import (
    Objects,
    TreeFile,
    find_read_paths,
    read_tree_contents,
    read_tree_file_changes,
    read_tree_files,
)
from handoff_tui.git.work_tree.capture import CapturedTree
from handoff_tui.git.work_tree.unseen import list_ignored
from handoff_tui.handoffs.claims.evidence import build_hash
from handoff_tui.handoffs.session import Session
from handoff_tui.system.files.reader import FileReader, decode_text
from handoff_tui.system.files.sealed_files import load_json, write_json

_VERSION: Final = 1
"""Of both caches."""
_MOST_COUNTED_BYTES: Final = 8 * 1024 * 1024
"""Lines of larger files are not counted."""
_MOST_TREES: Final = 64
_BINARY_WITHIN: Final = 8_000
"""Git's own rule: a zero byte near the beginning makes a file binary."""
_TODO: Final = compile_later(rb"\b(?:TODO|FIXME|XXX|HACK)\b")


class TreeContents(Model):
    """Packages and reports of one tree, by path."""

    packages: tuple[PackageRecord, ...]
    unread: tuple[Unread, ...]
    reports: tuple[str, ...]
    coverage: tuple[str, ...]


def load_tree_contents(git: Git, tree: str, objects: Objects, settings: Baseline, cache_folder: Path) -> TreeContents:
    """The contents of a tree, from the cache if it was the last one asked about."""
    place = cache_folder / "tree-contents.json"
    key = _build_key(tree, settings)
    known = load_json(place)
    if isinstance(known, dict) and known.get("key") == key:
        with suppress(ValueError, TypeError, KeyError, AttributeError):
            return restore(TreeContents, known.get("contents"))
    contents = _read_contents(git, tree, objects, settings)
    write_json(place, {"key": key, "contents": contents.model_dump(mode="json")})
    return contents


def _read_contents(git: Git, tree: str, objects: Objects, settings: Baseline) -> TreeContents:
    paths = find_read_paths(git, tree)
    if paths is None:
        listing = git.read("ls-tree", "-r", "-z", "--name-only", "--full-tree", tree, extra=objects)
        paths = os.fsdecode(listing).split("\0")[:-1]
    declaring = sorted(path for path in paths if is_ecosystem_file(path))
    names = {f"{tree}:{path}": path for path in declaring}
    found = read_blobs(git, list(names), MOST_PACKAGE_BYTES, objects)
    readings = [_read_one(path, found[name]) for name, path in names.items()]
    reports, coverage = build_matcher(settings.reports), build_matcher(settings.coverage)
    return TreeContents(
        packages=tuple(record for reading in readings for record in reading.packages),
        unread=tuple(unread for reading in readings for unread in reading.unread),
        reports=tuple(sorted(path for path in paths if reports.fullmatch(path))),
        coverage=tuple(sorted(path for path in paths if coverage.fullmatch(path))),
    )


def _read_one(path: str, content: bytes | None) -> EcosystemReading:
    if content is None:
        return build_unread(path, f"is missing, not a file, or larger than {MOST_PACKAGE_BYTES:,} bytes")
    return parse_ecosystem_file(path, content)


def _build_key(tree: str, settings: Baseline) -> str:
    said = json.dumps([_VERSION, tree, settings.reports, settings.coverage])
    return hashlib.sha256(said.encode()).hexdigest()


def build_matcher(patterns: Iterable[str]) -> re.Pattern[str]:
    """One regular expression for all patterns, for full paths.

    `*` and `?` stay within a path segment; `**` matches any number of segments, including none.
    """
    translated = [_translate(pattern) for pattern in patterns]
    return re.compile("|".join(f"(?:{part})" for part in translated) or r"(?!)", re.DOTALL)


def _translate(pattern: str) -> str:
    parts = [part for part in pattern.removeprefix("./").split("/") if part]
    translated = ""
    for number, part in enumerate(parts):
        is_last = number == len(parts) - 1
        if part == "**":
            translated += ".+" if is_last else "(?:[^/]+/)*"
        else:
            translated += _translate_part(part) + ("" if is_last else "/")
    return translated or r"(?!)"


def _translate_part(part: str) -> str:
    wild = {"*": "[^/]*", "?": "[^/]"}
    return "".join(wild.get(character) or re.escape(character) for character in re.sub(r"\*+", "*", part))


class Measures(NamedTuple):
    """Counts of one tree; lines and to-dos only of text files up to a size."""

    files: int
    lines: int
    todos: int


def count_content(content: bytes) -> tuple[int, int]:
    """Counts lines and to-dos; none in binary content. An unterminated last line counts."""
    if b"\0" in content[:_BINARY_WITHIN]:
        return 0, 0
    lines = content.count(b"\n") + (not content.endswith(b"\n") and bool(content))
    return lines, sum(1 for _ in _TODO.finditer(content))


def load_measures(git: Git, tree: str, objects: Objects, cache_folder: Path) -> Measures:
    """The counts of a tree: cached, else from the last known tree and what differs, else from scratch."""
    place = cache_folder / "measures.json"
    known = _parse_cache(load_json(place))
    if tree in known:
        return known[tree]
    last = next(reversed(known), None)
    measured = _measure_changes(git, last, tree, known[last], objects) if last else None
    if measured is None:
        files = read_tree_files(git, tree, objects)
        lines, todos = _count_files(git, Counter(_build_count_key(file) for file in files if not file.link), objects)
        measured = Measures(len(files), lines, todos)
    kept = dict([*known.items(), (tree, measured)][-_MOST_TREES:])
    write_json(place, {"version": _VERSION, "trees": kept})
    return measured


def _measure_changes(git: Git, old: str, new: str, measured: Measures, objects: Objects) -> Measures | None:
    """The counts from those of an old tree; None if its objects are gone."""
    try:
        moves = read_tree_file_changes(git, old, new, objects)
    except GitError:
        return None
    weights: Counter[tuple[str, int | None]] = Counter()
    for move in moves:
        for file, sign in ((move.old, -1), (move.new, 1)):
            if file is not None and not file.link:
                weights[_build_count_key(file)] += sign
    if not _are_present(git, weights, objects):
        return None
    lines, todos = _count_files(git, weights, objects)
    files = sum((move.new is not None) - (move.old is not None) for move in moves)
    return Measures(measured.files + files, measured.lines + lines, measured.todos + todos)


def _are_present(git: Git, weights: Counter[tuple[str, int | None]], objects: Objects) -> bool:
    """Whether every content to subtract is still here; otherwise the result would be wrong."""
    gone = [blob for (blob, _), weight in weights.items() if weight < 0]
    if not gone:
        return True
    asked = "".join(f"{blob}\n" for blob in gone).encode("ascii")
    return b" missing\n" not in git.read("cat-file", "--batch-check", stdin=asked, extra=objects)


def _build_count_key(file: TreeFile) -> tuple[str, int | None]:
    return file.blob, file.size


def _count_files(git: Git, weights: Counter[tuple[str, int | None]], objects: Objects) -> tuple[int, int]:
    """Reads each content once, however many files have it."""
    wanted: Iterable[tuple[str, int | None]] = [key for key, weight in weights.items() if weight]
    by_blob = {blob: weight for (blob, _), weight in weights.items()}
    lines = todos = 0
    for blob, content in read_tree_contents(git, wanted, _MOST_COUNTED_BYTES, objects):
        if content is not None:
            more_lines, more_todos = count_content(content)
            lines += by_blob[blob] * more_lines
            todos += by_blob[blob] * more_todos
    return lines, todos


def _parse_cache(value: object) -> dict[str, Measures]:
    if not isinstance(value, dict) or value.get("version") != _VERSION or not isinstance(value.get("trees"), dict):
        return {}
    try:
        return {tree: Measures(*(int(number) for number in numbers)) for tree, numbers in value["trees"].items()}
    except (TypeError, ValueError):
        return {}


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
_LCOV: Final = compile_later(rb"^(LF|LH):(\d{1,12})\s*$", re.MULTILINE)


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
        return "the report is not a Cobertura report"
    covered, valid = root.get("lines-covered", ""), root.get("lines-valid", "")
    if _is_number(covered) and _is_number(valid) and int(valid) > 0:
        return _divide(int(covered), int(valid))
    from decimal import Decimal, InvalidOperation  # noqa: PLC0415 - few reports give a rate only

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
