"""What a results document claims: the test numbers of a section, and files with their hashes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.core.tasks import TestCounts
from handoff_tui.handoffs.claim import Claim, ClaimKind, quote
from handoff_tui.handoffs.formats.builder import sections as outlines
from handoff_tui.handoffs.formats.builder.names import find_packages
from handoff_tui.handoffs.reading import claim_words
from handoff_tui.handoffs.reading.format import Source
from handoff_tui.handoffs.reading.markdown import Item, Outline, Row, Section, Table, TextLine, parse_field, plain

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


_HASH: Final = compile_later(
    r"(?:\b(?P<when>before|after)\b|\bsha-?256\b(?!\s+(?:before|after)))[\s:=`*(]{0,6}(?:sha256:)?"
    r"(?P<hex>[0-9a-f]{6,64})(?P<cut>\.\.\.|…)?(?![0-9a-z])",
    re.IGNORECASE,
)
_FIRST_WORD: Final = compile_later(r"\s*(?:`([^`\n]+)`|\*\*([^*\n]+)\*\*|(\S+?)(?=[,:;]?(?:\s|$)))")
_MOVED_TO: Final = compile_later(r"\s*`?\s*(?:->|=>|→|to)\s+`?([^\s`]+)")
_ACTIONS: Final = (
    (compile_later(r"\b(?:moved|renamed)\b"), None),
    (compile_later(r"\b(?:deleted|removed|delete|remove)\b"), ClaimKind.FILE_DELETED),
    (compile_later(r"\b(?:created|added|delivered|create|new|add)\b"), ClaimKind.FILE_CREATED),
    (
        compile_later(r"\b(?:modified|changed|edited|modify|edit|updated?|rewritten|rewrite|rebuilt|rebuild)\b"),
        ClaimKind.FILE_MODIFIED,
    ),
)
_FULL_LENGTH = 64
_ALL_IN: Final = compile_later(
    r"\W*(?:all )?(?:files|paths)(?: (?:are|listed))?(?: below)?(?: are)? (?:in|under|below|relative to) "
    r"`([^`\s]+/?)`[^`]*$",
    re.IGNORECASE,
)
_ONLY_PACKAGE: Final = compile_later(r"\W*(PKG-[A-Z0-9]+(?:-[A-Z0-9]+)*)(?:\s+v?[\d.]+)?(?:\s*\([^)]*\))?\W*")
_MANIFEST: Final = "manifest.json"
_ARCHIVES: Final = (".tar.gz", ".tgz", ".zip")


@dataclass(slots=True)
class FileClaims:
    """Claims about files, each said once."""

    source: Source
    claims: list[Claim] = field(default_factory=list)
    folder: str = ""
    """Where relative paths are, if the text around them says so."""
    packages: list[str] = field(default_factory=list)
    """Those that the document is about, by its title and head: if it is one, a bare manifest is that one's."""
    _files: set[str] = field(default_factory=set)
    _hashes: set[tuple[ClaimKind, str, str]] = field(default_factory=set)

    def add_file(self, kind: ClaimKind, path: str, line: int, text: str) -> None:
        """The first word about a file counts: an archive is often listed once as a file and once as an archive."""
        path = self._place(path)
        if path not in self._files:
            self._files.add(path)
            self.claims.append(self.source.claim(kind, line, text, subject=path))

    def _place(self, path: str) -> str:
        """A path in the folder that is spoken of, unless it names that folder itself."""
        if path == _MANIFEST and not self.folder and len(self.packages) == 1:
            return f"{self.packages[0]}/{path}"
        own = self.folder.rstrip("/").rpartition("/")[2]
        return path if not own or own in path.split("/") or path.endswith(_ARCHIVES) else self.folder + path

    def add_hash(self, kind: ClaimKind, path: str, value: str, line: int, text: str) -> None:
        path = self._place(path)
        if (kind, path, value) not in self._hashes:
            self._hashes.add((kind, path, value))
            self.claims.append(self.source.claim(kind, line, text, subject=path, value=value))


def find_file_claims(source: Source) -> list[Claim]:
    """All claims about files; hashes of files count in other sections as well."""
    head = (line.text for section in outlines.preamble(source.outline) for line in section.lines())
    found = FileClaims(source, packages=find_packages("\n".join((source.outline.title or "", *head))))
    read: set[int] = set()
    for section in outlines.headed(source.outline):
        action = _action_of_heading(section.name) if section.line not in read else None
        if action is None:
            continue
        for part in _parts(source.outline, section):
            read.add(part.line)
            _claim_part(found, part, action)
    for section in source.outline.sections:
        if not section.level or section.line not in read:
            _claim_hashes_in_passing(found, section)
    return found.claims


def _parts(outline: Outline, section: Section) -> Iterator[Section]:
    """The section and its sub-sections, without those about another action."""
    other: int | None = None
    for part in outline.below(section):
        if other is not None and part.level > other:
            continue
        other = part.level if part is not section and _action_of_heading(part.name) else None
        if other is None:
            yield part


def _action_of_heading(heading: str) -> str | None:
    words = outlines.normalise(heading)
    if outlines.is_heading_of(heading, "Archives Built"):
        return "rebuilt" if "rebuilt" in words else "created"
    if not re.search(r"\b(?:files?|manifests?)\b", words) or re.search(r"\b(?:not|unchanged|verified)\b", words):
        return None
    return words if any(pattern.search(words) for pattern, _ in _ACTIONS) or words == "files summary" else None


def _kind_of(action: str) -> ClaimKind | None:
    return next((kind for pattern, kind in _ACTIONS if pattern.search(action)), None)


def _claim_part(found: FileClaims, section: Section, action: str) -> None:
    archive: str | None = None
    parent_has_path = False
    found.folder = _find_folder(section.name)
    for block in section.blocks:
        if isinstance(block, Item):
            if block.depth > 1 and parent_has_path:
                continue
            if block.depth == 1 and (inside := _find_folder(block.text)):
                found.folder = inside
                continue
            has_path = _claim_item(found, block, action)
            parent_has_path = has_path if block.depth == 1 else parent_has_path
        elif isinstance(block, Table):
            for row in block.rows:
                _claim_row(found, block, row, action)
        else:
            found.folder = _find_folder(block.text) or found.folder
            for offset, text in enumerate(block.text.split("\n")):
                archive = _claim_archive_field(found, text, block.line + offset, archive)
    found.folder = ""


def _find_folder(text: str) -> str:
    """The folder that paths below a heading or a line are in: `PKG-A-001`, `All files in `staging/x/``; else empty."""
    stated = _ALL_IN.match(text)
    if stated is not None:
        return stated[1].rstrip("/") + "/"
    package = _ONLY_PACKAGE.fullmatch(plain(text).strip())
    return f"{package[1]}/" if package else ""


def _claim_item(found: FileClaims, item: Item, action: str) -> bool:
    text = item.text.split("\n", 1)[0]
    path, end = _leading_path(text)
    if path is None:
        return False
    kind = _kind_of(action)
    target = _MOVED_TO.match(text, end)
    if kind is None and target and (new_path := claim_words.clean_path(target.group(1))):
        found.add_file(ClaimKind.FILE_DELETED, path, item.line, text)
        found.add_file(ClaimKind.FILE_CREATED, new_path, item.line, text)
    elif kind is not None:
        found.add_file(kind, path, item.line, text)
        _claim_hashes(found, path, item.text, item.line, gone=kind is ClaimKind.FILE_DELETED)
    return True


def _leading_path(text: str) -> tuple[str | None, int]:
    match = _FIRST_WORD.match(text)
    if match is None:
        return None, 0
    word = next((group for group in match.groups() if group), "")
    return claim_words.clean_path(word.strip("`")), match.end()


def _claim_hashes(found: FileClaims, path: str, text: str, line: int, *, gone: bool = False) -> None:
    for match in _HASH.finditer(text):
        digits, when = match.group("hex"), (match.group("when") or "").lower()
        if len(digits) < _FULL_LENGTH and not re.search(r"[0-9]", digits):
            continue
        kind = ClaimKind.HASH_BEFORE if when == "before" or (gone and not when) else ClaimKind.HASH
        value = (
            claim_words.canonical_hash(digits) if len(digits) == _FULL_LENGTH else digits + (match.group("cut") or "")
        )
        found.add_hash(kind, path, value, line, text)


def _claim_row(found: FileClaims, table: Table, row: Row, action: str) -> None:
    path = _row_path(table, row)
    if path is None:
        return
    text = " | ".join(row.cells)
    kind = _kind_of(outlines.normalise(table.cell(row, "action", "change type", "operation"))) or _kind_of(action)
    if kind is not None:
        found.add_file(kind, path, row.line, text)
    for heading, cell in zip(table.header, row.cells, strict=False):
        words = heading.lower()
        match = claim_words.HASH.search(cell)
        if match and ("sha" in words or "hash" in words or "digest" in words):
            before = "before" in words or "old" in words
            kind = ClaimKind.HASH_BEFORE if before else ClaimKind.HASH
            found.add_hash(kind, path, claim_words.canonical_hash(match.group(0)), row.line, text)


def _row_path(table: Table, row: Row) -> str | None:
    column = table.column("file", "path", "asset", "archive") or 0
    if column >= len(row.cells):
        return None
    return outlines.join_folder(table, row, _leading_path(row.cells[column])[0])


def _claim_archive_field(found: FileClaims, text: str, line: int, archive: str | None) -> str | None:
    """`**Archive**: name` and, on the next line, `**Archive SHA256**: hash`."""
    parsed = parse_field(text)
    if parsed is None or not parsed[0].lower().startswith("archive"):
        return archive
    name, value = parsed
    match = claim_words.HASH.search(value)
    if match and archive:
        found.add_hash(ClaimKind.HASH, archive, claim_words.canonical_hash(match.group(0)), line, text)
    path = _leading_path(value)[0] if name.lower() == "archive" else None
    if path:
        found.add_file(ClaimKind.FILE_CREATED, path, line, text)
        _claim_hashes(found, path, value, line)
    return path or archive


def _claim_hashes_in_passing(found: FileClaims, section: Section) -> None:
    """A full hash beside one path, in any other section."""
    for line in section.lines():
        paths = [] if line.code else claim_words.find_paths(line.text)
        hashes = claim_words.HASH.findall(line.text)
        if len(paths) == 1 and len(hashes) == 1:
            before = re.search(r"\bbefore\b", line.text, re.IGNORECASE) is not None
            kind = ClaimKind.HASH_BEFORE if before else ClaimKind.HASH
            found.add_hash(kind, paths[0], claim_words.canonical_hash(hashes[0][1]), line.number, line.text)
