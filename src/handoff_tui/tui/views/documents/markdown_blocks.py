"""Markdown as blocks of cells, each part with its line number. Nothing is left out.

Links are shown with their address and never opened; HTML, link definitions and anything else that a rendered page
would hide are shown as written.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING, Final

from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.core.text.columns import compute_width, wrap_cells
from handoff_tui.core.text.page import Cell
from handoff_tui.core.text.page_layout import wrap_words
from handoff_tui.core.text.safe_text import split_hidden

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token


MOST_RENDERED: Final = 256 * 1024
"""Longer texts are shown as written: parsing them would take seconds."""
_LONGEST_INLINE: Final = 8_000
"""Longer paragraphs are shown as written: nobody reads emphasis in those."""
_MOST_FIELDS: Final = 200
"""A block of fields at the top of a document is no longer than this."""
_LEAVES: Final = frozenset({"heading_open", "inline", "fence", "code_block", "html_block", "hr", "table_open"})
_CONTAINERS: Final = ("blockquote_open", "list_item_open")
_LINE_END: Final = compile_later(r"\r\n|\n|\r")
_STRONG, _PLAIN, _CODE, _ASIDE, _ADDRESS = "heading", "text", "accent", "muted", "path"

Cells = tuple[Cell, ...]
_LEAST_COLUMN = 6
_LEAST_ROOM = 12
_BETWEEN = Cell(" │ ", "border")


class Piece(NamedTuple):
    """What one line of the text contributes to a block."""

    line: int
    cells: Cells


class Prose(NamedTuple):
    """A paragraph or a heading: its lines flow together."""

    lead: Cells
    hang: Cells
    pieces: tuple[Piece, ...]
    level: int = 0
    """The level of a heading."""


class Verbatim(NamedTuple):
    """Lines that are kept apart: code, HTML, and anything without a form."""

    lead: Cells
    hang: Cells
    pieces: tuple[Piece, ...]
    code: bool = False


class TableBlock(NamedTuple):
    """Rows of cells; the first is the heading."""

    lead: Cells
    hang: Cells
    rows: tuple[tuple[int, tuple[Cells, ...]], ...]


class Ruler(NamedTuple):
    """A line across the page."""

    lead: Cells
    hang: Cells
    line: int


Block = Prose | Verbatim | TableBlock | Ruler


def split_lines(text: str) -> list[str]:
    """Splits a text into lines as an editor counts them."""
    return _LINE_END.split(text)


def build_safe_cells(text: str, role: str = _PLAIN) -> list[Cell]:
    """Makes a text safe to show; invisible characters are marked."""
    return [Cell(piece, "hidden" if hidden else role) for piece, hidden in split_hidden(text)]


def parse_blocks(text: str) -> tuple[Block, ...]:
    """Returns every block in the order of the text. Any text is Markdown, so this never fails."""
    definitions: dict[str, object] = {}
    lines = split_lines(text)
    begins = _find_front_matter_end(lines)
    body = "\n".join([*[""] * begins, *lines[begins:]]) if begins else text
    tokens = _build_parser(blocks_only=True).parse(body, definitions)
    found: list[tuple[int, Block]] = []
    covered: set[int] = set()
    for token, block in _BlockReader(tokens, definitions, lines).read():
        first, end = token.map or (0, 0)
        covered.update(range(first + 1, end + 1))
        found.append((first + 1, block))
    found += _find_left_out(lines, covered)
    return tuple(block for _, block in sorted(found, key=lambda one: one[0]))


def _find_front_matter_end(lines: list[str]) -> int:
    """How many lines at the top are fields between `---` and `---`; they are shown as written, not as a heading."""
    if lines[0].rstrip() != "---":
        return 0
    return next((n + 1 for n, line in enumerate(lines[1:_MOST_FIELDS], start=1) if line.rstrip() in {"---", "..."}), 0)


def _find_left_out(lines: list[str], covered: set[int]) -> Iterator[tuple[int, Block]]:
    """Returns lines that a parser uses but a rendered page hides."""
    for number, line in enumerate(lines, start=1):
        if line.strip() and number not in covered:
            yield number, Verbatim((), (), (Piece(number, tuple(build_safe_cells(line, _ASIDE))),))


class _BlockReader:
    """Walks over the tokens; tracks the quotes and lists around them."""

    def __init__(self, tokens: list[Token], definitions: dict[str, object], lines: list[str]) -> None:
        self._tokens = tokens
        self._lines = lines
        self._definitions = definitions
        self._containers: list[tuple[Cell, Cell]] = []
        self._fresh: list[bool] = []
        """For each container, whether it is still empty: its first block gets the mark."""

    def read(self) -> Iterator[tuple[Token, Block]]:
        position = 0
        while position < len(self._tokens):
            token = self._tokens[position]
            if token.type in _CONTAINERS:
                self._enter(token)
            elif token.type in {"blockquote_close", "list_item_close"}:
                self._containers.pop()
                self._fresh.pop()
            elif token.type in _LEAVES and token.map:
                block, position = self._read_leaf(token, position)
                yield token, block
            position += 1

    def _enter(self, token: Token) -> None:
        if token.type == "blockquote_open":
            mark = hang = Cell("│ ", "border")
        else:
            number = f"{token.info}{token.markup} " if token.info else "• "
            mark, hang = Cell(number, _ASIDE), Cell(" " * len(number))
        self._containers.append((mark, hang))
        self._fresh.append(True)

    def _take_leads(self) -> tuple[Cells, Cells]:
        lead = tuple(mark if fresh else hang for (mark, hang), fresh in zip(self._containers, self._fresh, strict=True))
        self._fresh = [False] * len(self._fresh)
        return lead, tuple(hang for _, hang in self._containers)

    def _read_leaf(self, token: Token, position: int) -> tuple[Block, int]:
        lead, hang = self._take_leads()
        first = (token.map or (0, 0))[0] + 1
        match token.type:
            case "heading_open":
                level = int(token.tag[1:])
                mark = Piece(first, (Cell("#" * level + " ", _ASIDE),))
                pieces = self._build_pieces(self._tokens[position + 1], first, _STRONG)
                return Prose(lead, hang, (mark, *pieces), level), position + 2
            case "inline":
                return Prose(lead, hang, tuple(self._build_pieces(token, first, _PLAIN))), position
            case "table_open":
                return self._read_table(lead, hang, position)
            case "hr":
                return Ruler(lead, hang, first), position
            case "html_block":
                return Verbatim(lead, hang, _quote(token, first)), position
        return Verbatim(lead, hang, _build_code(token, first), code=True), position

    def _read_table(self, lead: Cells, hang: Cells, position: int) -> tuple[TableBlock, int]:
        rows: list[tuple[int, list[Cells]]] = []
        while self._tokens[position].type != "table_close":
            token = self._tokens[position]
            if token.type == "tr_open":
                rows.append(((token.map or (0, 0))[0] + 1, []))
            elif token.type == "inline":
                role = _STRONG if len(rows) == 1 else _PLAIN
                rows[-1][1].append(tuple(cell for piece in self._build_pieces(token, 0, role) for cell in piece.cells))
            position += 1
        return TableBlock(
            lead, hang, tuple((line, tuple(self._complete(line, cells))) for line, cells in rows)
        ), position

    def _complete(self, line: int, cells: list[Cells]) -> list[Cells]:
        """Shows a table row as written too if it has more cells than the table has columns; they would be lost."""
        written = self._lines[line - 1] if line <= len(self._lines) else ""
        shown = sum(character.isalnum() for cell in cells for piece in cell for character in piece.text)
        if sum(map(str.isalnum, written)) <= shown:
            return cells
        return [*cells, tuple(build_safe_cells(written.strip(), _ASIDE))]

    def _build_pieces(self, inline: Token, first: int, role: str) -> list[Piece]:
        """Returns the words of a paragraph, one piece per source line."""
        if len(inline.content) > _LONGEST_INLINE:
            lines = inline.content.split("\n")
            return [Piece(first + number, tuple(build_safe_cells(line, role))) for number, line in enumerate(lines)]
        parsed = _build_parser(blocks_only=False).parseInline(inline.content, self._definitions)
        line, pieces, cells = first, list[Piece](), list[Cell]()
        writer = _InlineWriter(role)
        for child in (parsed[0].children or ()) if parsed else ():
            if child.type in {"softbreak", "hardbreak"}:
                pieces.append(Piece(line, tuple(cells)))
                line, cells = line + 1, []
            else:
                cells += writer.write(child)
        return [*pieces, Piece(line, tuple(cells))]


def _build_code(token: Token, first: int) -> tuple[Piece, ...]:
    lines = token.content.removesuffix("\n").split("\n") if token.content else []
    head: list[Piece] = []
    if token.type == "fence":
        words = token.info.strip()
        head = [Piece(first, tuple(build_safe_cells(words, _ASIDE)))] if words else []
        first += 1
    return (*head, *(Piece(first + number, tuple(build_safe_cells(line))) for number, line in enumerate(lines)))


def _quote(token: Token, first: int) -> tuple[Piece, ...]:
    """Returns the lines of a token as written."""
    lines = token.content.rstrip("\n").split("\n")
    return tuple(Piece(first + number, tuple(build_safe_cells(line, _ASIDE))) for number, line in enumerate(lines))


class _InlineWriter:
    """Turns inline tokens into cells, one after the other."""

    def __init__(self, role: str) -> None:
        self._role = role
        self._strong = 0
        self._links: list[tuple[str, str]] = []
        self._words = ""
        """The text of a link, to compare with its address."""

    def write(self, token: Token) -> list[Cell]:
        match token.type:
            case "text" | "text_special" | "code_inline":
                self._words += token.content
                return build_safe_cells(token.content, _CODE if token.type == "code_inline" else self._find_role())
            case "link_close":
                return self._end_link()
            case "image":
                words = f"[image: {token.content}]"
                return [*build_safe_cells(words, _ASIDE), *_show_address(_get(token, "src"), _get(token, "title"))]
            case "s_open" | "s_close":
                return [Cell("~~", _ASIDE)]
            case "html_inline":
                return build_safe_cells(token.content, _ASIDE)
        self._note(token)
        return []

    def _note(self, token: Token) -> None:
        if token.type == "link_open":
            self._links.append((_get(token, "href"), _get(token, "title")))
            self._words = ""
        elif token.type in {"strong_open", "strong_close"}:
            self._strong += 1 if token.type == "strong_open" else -1

    def _end_link(self) -> list[Cell]:
        address, title = self._links.pop() if self._links else ("", "")
        if self._words.strip() in {address, address.removeprefix("mailto:")} and not title:
            return []
        return _show_address(address, title)

    def _find_role(self) -> str:
        if self._links:
            return _ADDRESS
        return _STRONG if self._strong else self._role


def _show_address(address: str, title: str) -> list[Cell]:
    named = f' "{title}"' if title else ""
    return build_safe_cells(f" ⟨{address}{named}⟩", _ASIDE)


def _get(token: Token, name: str) -> str:
    return str(token.attrs.get(name, ""))


@cache
def _build_parser(*, blocks_only: bool) -> MarkdownIt:
    """Builds a parser that leaves inline text alone: blocks are parsed one by one, except those that are too long."""
    from markdown_it import MarkdownIt  # noqa: PLC0415 - only reading a document needs it

    parser = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    return parser.disable("inline") if blocks_only else parser


class TextRow(NamedTuple):
    """One row on the screen, and the line of the text it begins on."""

    cells: Cells
    line: int


def lay_out_blocks(blocks: Iterable[Block], width: int) -> list[TextRow]:
    """Returns all rows, none wider than `width` if at all possible; keeps blank lines."""
    rows: list[TextRow] = []
    end = 0
    for block in blocks:
        first, last = _find_span(block)
        if rows and (first > end + 1 or (isinstance(block, Prose) and block.level)):
            rows.append(TextRow((), min(end + 1, first)))
        rows += _lay_out(block, width)
        end = max(end, last)
    return rows


def _find_span(block: Block) -> tuple[int, int]:
    if isinstance(block, Ruler):
        return block.line, block.line
    if isinstance(block, TableBlock):
        return block.rows[0][0], block.rows[-1][0]
    if not block.pieces:
        return 0, 0
    fence = 1 if isinstance(block, Verbatim) and block.code else 0  # the fence below it has no row
    return block.pieces[0].line, block.pieces[-1].line + fence


def _lay_out(block: Block, width: int) -> list[TextRow]:
    hang = sum(compute_width(cell.text) for cell in block.hang)
    room = max(_LEAST_ROOM, width - hang)
    if isinstance(block, Ruler):
        rows = [TextRow((Cell("─" * room, "border"),), block.line)]
    elif isinstance(block, TableBlock):
        rows = _lay_out_table(block, room)
    elif isinstance(block, Verbatim):
        rows = _lay_out_lines(block, room)
    else:
        rows = _flow(block.pieces, room)
    return [TextRow((*(block.hang if number else block.lead), *row.cells), row.line) for number, row in enumerate(rows)]


def _flow(pieces: Sequence[Piece], room: int) -> list[TextRow]:
    """Joins lines and breaks them again. Counting non-blank characters tells which line a row begins on."""
    cells: list[Cell] = []
    for before, piece in zip((None, *pieces), pieces, strict=False):
        if before is not None and before.line != piece.line:
            cells.append(Cell(" "))
        cells += piece.cells
    ends: list[tuple[int, int]] = []
    count = 0
    for piece in pieces:
        count += _count(piece.cells)
        ends.append((count, piece.line))
    rows: list[TextRow] = []
    seen = 0
    for row in wrap_words(cells, room):
        line = next((line for end, line in ends if end > seen), ends[-1][1])
        rows.append(TextRow(row, line))
        seen += _count(row)
    return rows


def _count(cells: Iterable[Cell]) -> int:
    return sum(len(cell.text) - cell.text.count(" ") for cell in cells)


def _lay_out_lines(block: Verbatim, room: int) -> list[TextRow]:
    mark = (Cell("┊ ", "border"),) if block.code else ()
    inner = max(_LEAST_ROOM, room - 2 * len(mark))
    return [TextRow((*mark, *row), piece.line) for piece in block.pieces for row in wrap_cells(piece.cells, inner)]


def _lay_out_table(table: TableBlock, room: int) -> list[TextRow]:
    count = max(len(cells) for _, cells in table.rows)
    padded = [(line, [*cells, *[()] * (count - len(cells))]) for line, cells in table.rows]
    widths = _fit([max(_measure(cells[place]) for _, cells in padded) for place in range(count)], room)
    rows: list[TextRow] = []
    for number, (line, cells) in enumerate(padded):
        rows += [TextRow(row, line) for row in _join_columns(cells, widths)]
        if number == 0:
            rule = "─┼─".join("─" * width for width in widths)
            rows.append(TextRow((Cell(rule, "border"),), line + 1))
    return rows


def _measure(cells: Iterable[Cell]) -> int:
    return sum(compute_width(cell.text) for cell in cells)


def _fit(natural: list[int], room: int) -> list[int]:
    """Shrinks the widest columns first, down to a few letters, until all fit."""
    widths = [max(1, width) for width in natural]
    over = sum(widths) + 3 * (len(widths) - 1) - room
    while over > 0 and max(widths) > _LEAST_COLUMN:
        widest = max(widths)
        second = max([_LEAST_COLUMN, *(width for width in widths if width < widest)])
        places = [place for place, width in enumerate(widths) if width == widest]
        step = min(widest - second, -(-over // len(places)))
        for place in places:
            widths[place] -= max(1, step)
        over = sum(widths) + 3 * (len(widths) - 1) - room
    return widths


def _join_columns(cells: Sequence[Cells], widths: Sequence[int]) -> list[Cells]:
    wrapped = [wrap_words(cell, width) for cell, width in zip(cells, widths, strict=True)]
    rows: list[Cells] = []
    for number in range(max(map(len, wrapped))):
        row: list[Cell] = []
        for place, (lines, width) in enumerate(zip(wrapped, widths, strict=True)):
            piece = lines[number] if number < len(lines) else ()
            blank = Cell(" " * max(0, width - _measure(piece)))
            row += [*([_BETWEEN] if place else []), *piece, blank]
        rows.append(tuple(row))
    return rows
