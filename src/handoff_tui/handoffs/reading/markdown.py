"""Markdown as an outline: sections with their items, tables, code and paragraphs, each with its line.

A real parser finds the blocks, so a heading inside a code fence isn't a heading and a table row isn't prose. Inline
markup is left in place (it is cheaper, and `plain` takes it off where it matters).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Final

from handoff_tui.core.classes import NamedTuple, dataclass, field
from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.handoffs.handoff import Heading as SectionHeading

_MARKS: Final = compile_later(r"[*`_-]")

_EMPHASIS: Final = compile_later(r"\*\*|__|`|~~|(?<!\w)\*(?=\S)|(?<=\S)\*(?!\w)")
_LINK: Final = compile_later(r"!?\[([^\]\n]*)\]\([^)\n]*\)")
_MARKUP: Final = compile_later(r"[*_`~\[]")
_BETWEEN_FIELDS: Final = compile_later(r" \| |(?<=\S)\s{2,}(?=\*\*[^*\n]{1,40}(?::\*\*|\*\*:))")
_FIELD: Final = compile_later(r"^\s*([^\W\d_][\w /()#.'&+,\[\]-]{0,60}?)\s*[:\uff1a](?!//)\s*(.*)$", re.DOTALL)
_REMEMBERED: Final = 4096
"""Lines of text whose plain form is kept: several readers ask for the same line one after the other."""
_SECTION_NUMBER: Final = compile_later(r"^(\d+(?:\.\d+)*)[.):]?\s+")


class Paragraph(NamedTuple):
    """Prose, or raw HTML; `line` is that of its first line."""

    line: int
    text: str
    html: bool = False
    quoted: bool = False


class Item(NamedTuple):
    """A list item's own text. `checked` is None without a checkbox; `number` is the number as written."""

    line: int
    text: str
    depth: int
    checked: bool | None = None
    ordered: bool = False
    number: int | None = None
    quoted: bool = False
    bullet: str = ""
    """The sign of a list without numbers."""


class Row(NamedTuple):
    """A body row of a table."""

    line: int
    cells: tuple[str, ...]


class Table(NamedTuple):
    """A table; cells keep their inline markup."""

    line: int
    header: tuple[str, ...]
    rows: tuple[Row, ...]

    def column(self, *names: str) -> int | None:
        """The index of the first column whose heading contains one of these words."""
        for index, heading in enumerate(self.header):
            if any(name in heading.lower() for name in names):
                return index
        return None

    def cell(self, row: Row, *names: str) -> str:
        """The cell of a row in the first column of such a name; empty if there is none."""
        column = self.column(*names)
        return row.cells[column] if column is not None and column < len(row.cells) else ""


class Code(NamedTuple):
    """A code block; `line` is that of its first line of code."""

    line: int
    text: str
    language: str


Block = Paragraph | Item | Table | Code


class TextLine(NamedTuple):
    """One line of text with its number; `code` says whether it is in a code block."""

    number: int
    text: str
    code: bool = False


@dataclass(slots=True)
class Section:
    """A heading and what is under it, up to the next heading of any level. Level 0: before the first heading."""

    level: int
    title: str
    line: int
    blocks: list[Block] = field(default_factory=list)
    name: str = field(init=False)
    """The title without number and markup, for comparing."""
    number: str | None = field(init=False)
    _lines: tuple[TextLine, ...] | None = field(init=False, repr=False, compare=False)
    _fields: tuple[tuple[TextLine, str, str], ...] | None = field(init=False, repr=False, compare=False)
    """Once asked for: a dozen readers go through the same lines, after the last block is there."""

    def __post_init__(self) -> None:
        self._lines = self._fields = None
        shown = plain(self.title)
        match = _SECTION_NUMBER.match(shown)
        self.number = match.group(1) if match else None
        self.name = shown[match.end() :].strip() if match else shown

    def items(self) -> list[Item]:
        return [block for block in self.blocks if isinstance(block, Item)]

    def tables(self) -> list[Table]:
        return [block for block in self.blocks if isinstance(block, Table)]

    def codes(self) -> list[Code]:
        return [block for block in self.blocks if isinstance(block, Code)]

    def paragraphs(self) -> list[Paragraph]:
        return [block for block in self.blocks if isinstance(block, Paragraph)]

    def lines(self) -> tuple[TextLine, ...]:
        """Every line of text in order; a table row as its cells joined by ` | `."""
        if self._lines is None:
            self._lines = tuple(line for block in self.blocks for line in _list_lines(block))
        return self._lines

    def fields(self) -> tuple[tuple[TextLine, str, str], ...]:
        """Every `Name: value` outside code, in order, with its name in lower case; table rows count as well."""
        if self._fields is None:
            self._fields = tuple(found for block in self.blocks for found in _find_fields_in(block))
        return self._fields


class Outline(NamedTuple):
    """A parsed document."""

    sections: tuple[Section, ...]

    @property
    def title(self) -> str | None:
        """The first heading of the highest level that occurs first."""
        heading = next((section for section in self.sections if section.level), None)
        return plain(heading.title) if heading else None

    def headings(self) -> tuple[SectionHeading, ...]:
        return tuple(
            SectionHeading(title=plain(section.title), line=section.line, level=section.level)
            for section in self.sections
            if section.level
        )

    def below(self, section: Section) -> list[Section]:
        """The section and all its sub-sections."""
        start = self.sections.index(section)
        found = [section]
        for later in self.sections[start + 1 :]:
            if later.level <= section.level:
                break
            found.append(later)
        return found

    def lines(self) -> Iterator[TextLine]:
        for section in self.sections:
            yield from section.lines()


def parse_markdown(text: str) -> Outline:
    """Parses a document; any text is valid Markdown, so this never fails."""
    from handoff_tui.handoffs.reading.markdown_parser import collect_sections  # noqa: PLC0415 - JSON does without

    return Outline(tuple(collect_sections(text)))


@lru_cache(maxsize=_REMEMBERED)
def plain(text: str) -> str:
    """Text without emphasis, code marks and link targets."""
    if not _MARKUP.search(text):  # most lines have none
        return text.strip()
    return _EMPHASIS.sub("", _LINK.sub(r"\1", text)).strip()


@lru_cache(maxsize=_REMEMBERED)
def parse_field(text: str) -> tuple[str, str] | None:
    """`**Name**: value`, `Name: value`, `**Name:** value` → name and value, both plain."""
    if ":" not in text:
        return None
    match = _FIELD.match(plain(text))
    return (match.group(1).strip(), match.group(2).strip()) if match else None


def find_fields(lines: Iterable[TextLine]) -> Iterator[tuple[TextLine, str, str]]:
    """Every `Name: value` outside code: its line, its name in lower case, its value."""
    for line in lines:
        field = None if line.code else parse_field(line.text)
        if field is not None:
            yield line, field[0].lower(), field[1]


def list_fields(sections: Iterable[Section]) -> Iterator[tuple[TextLine, str, str]]:
    """Every `Name: value` outside code, in order, with its name in lower case; table rows count as well."""
    for section in sections:
        yield from section.fields()


def _list_lines(block: Block) -> list[TextLine]:
    if isinstance(block, Table):
        return [TextLine(row.line, " | ".join(row.cells), False) for row in block.rows]  # noqa: FBT003
    code = isinstance(block, Code)
    return [TextLine(block.line + offset, text, code) for offset, text in enumerate(block.text.split("\n"))]


def _find_fields_in(block: Block) -> Iterator[tuple[TextLine, str, str]]:
    if isinstance(block, Table):
        for row in block.rows:
            if len(row.cells) > 1:
                yield TextLine(row.line, " | ".join(row.cells)), normalise_name(row.cells[0]), plain(row.cells[1])
    elif not isinstance(block, Code) and ":" in block.text:
        for line in _list_lines(block):
            yield from _line_fields(line)


@lru_cache(maxsize=_REMEMBERED)
def normalise_name(name: str) -> str:
    return " ".join(_MARKS.sub(" ", name).lower().split())


def _line_fields(line: TextLine) -> Iterator[tuple[TextLine, str, str]]:
    """One field, or several that are set apart by bars or bold: `**Date**: today | **Agent**: me`."""
    several = " | " in line.text or "  **" in line.text
    parts = [parse_field(part) for part in (_BETWEEN_FIELDS.split(line.text) if several else (line.text,))]
    found = [part for part in parts if part]
    if len(found) != len(parts):
        whole = parse_field(line.text)
        found = [whole] if whole else []
    for name, value in found:
        yield line, normalise_name(name), value
