"""The blocks of a Markdown document, found line by line: CommonMark with tables, as far as an outline needs it.

It follows markdown-it, quirks included, and a property test holds both to the same sections. To read all documents with
that one would cost every look more than anything else: it imports sixty modules, and makes a token of each mark.
"""

from __future__ import annotations

import re
from typing import Final

from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.handoffs.reading.markdown import Code, Item, Paragraph, Row, Section, Table, plain

_MOST_NESTED: Final = 20
_CODE_INDENT: Final = 4
_LIST_SIGNS: Final = frozenset("*-+0123456789")
_MOST_MISSING_CELLS: Final = 0x10000
"""A short row of a wide table is filled up; this bounds by how much a document can grow."""
_SPACES: Final = "\t\n\v\f\r \xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(map(chr, range(0x2000, 0x200B)))
_LIST_MARKER: Final = compile_later(r"(?:([0-9]{1,9})[.)]|[*+-])(?=[ \t]|\Z)")
_RULER: Final = compile_later(r"([*_-])[ \t]*(?:\1[ \t]*){2,}")
_FENCE: Final = compile_later(r"(`{3,})([^`]*)|(~{3,})(.*)")
_HEADING: Final = compile_later(r"(#{1,6})(?:[ \t].*)?")
_UNDERLINE: Final = compile_later(r"(?:-+|=+)[ \t]*")
_TABLE_LINE: Final = compile_later(r"(?:[|:][-:| \t]|-[-:|])[-:| \t]*")
_COLUMN: Final = compile_later(r":?-+:?")
_CHECKBOX: Final = compile_later(r"\[([ xX])\]\s+")
_BAR: Final = compile_later(r"(?<!\\)\|")

_TEXT_TAGS: Final = "script|pre|style|textarea"
_BLOCK_TAGS: Final = (
    "address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|dialog|dir|div|dl|dt"
    "|fieldset|figcaption|figure|footer|form|frame|frameset|h1|h2|h3|h4|h5|h6|head|header|hr|html|iframe|legend|li|link"
    "|main|menu|menuitem|nav|noframes|ol|optgroup|option|p|param|search|section|summary|table|tbody|td|tfoot|th|thead"
    "|title|tr|track|ul"
)
_ATTRIBUTE: Final = r"""\s+[a-zA-Z_:][a-zA-Z0-9:._-]*(?:\s*=\s*(?:[^"'=<>`\x00-\x20]+|'[^']*'|"[^"]*"))?"""
_HTML: Final = (
    (compile_later(rf"(?i:<(?a:{_TEXT_TAGS})(?=\s|>|\Z))"), compile_later(rf"(?i:</(?a:{_TEXT_TAGS})>)")),
    (compile_later("<!--"), compile_later("-->")),
    (compile_later(r"<\?"), compile_later(r"\?>")),
    (compile_later("<![A-Za-z]"), compile_later(">")),
    (compile_later(r"<!\[CDATA\["), compile_later(r"\]\]>")),
    (compile_later(rf"(?i:</?(?a:{_BLOCK_TAGS})(?=\s|/?>|\Z))"), None),
    (compile_later(rf"<(?:[A-Za-z][A-Za-z0-9-]*(?:{_ATTRIBUTE})*\s*/?|/[A-Za-z][A-Za-z0-9-]*\s*)>\s*\Z"), None),
)
"""How HTML begins and ends: at a blank line if there is no end. The last kind doesn't interrupt a paragraph."""

_REFERENCE: Final = compile_later(
    r"""(?s)\[((?:\\.|[^\[\]\\])*)\]:[ \t\n]*"""
    r"""(?:<((?:\\[^\n]|[^<>\\\n])*)>|(?!<)((?:\\[^ \n]|\\(?=\n)|[^\x00-\x20\x7f\\])+))"""
    r"""(?:[ \t\n]+(?:"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|\((?:\\.|[^()\\])*\))[ \t]*(?=\n)"""
    r"""|(?![ \t\n]+(?:""|''|\(\))[ \t]*[^ \t\n])[ \t]*(?=\n))"""
)
"""`[label]: destination "title"`: no text of the document."""
_NESTING: Final = compile_later(r"(?s)\\.|[()]")
_MOST_PARENTHESES: Final = 32
_ESCAPED: Final = compile_later(r"\\([!-/:-@\[-`{-~])")
_UNSAFE: Final = compile_later("(?:vbscript|javascript|file|data(?!:image/(?:gif|png|jpeg|webp);)):")


def collect_sections(text: str) -> list[Section]:
    """The sections of a document in order; the first is what stands before any heading."""
    parser = _Parser(text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "\ufffd"))
    parser.parse(0, parser.last)
    return parser.sections


class _Parser:
    """The lines as the innermost block sees them, and what was found so far.

    For each line: where it begins and ends, where its text begins, how far that is indented, and the column of `begins`
    for tabs. A quote moves them, and restores them when it ends.
    """

    def __init__(self, text: str) -> None:
        self.size = len(text)
        self.text = text + "\n"
        self.begins: list[int] = []
        self.firsts: list[int] = []
        self.ends: list[int] = []
        self.indents: list[int] = []
        start = 0
        lines = text.split("\n")
        if not lines[-1].strip(" \t"):
            lines.pop()
        for line in lines:
            shift = len(line) - len(line.lstrip(" \t"))
            self.begins.append(start)
            self.firsts.append(start + shift)
            self.indents.append(len(line[:shift].expandtabs(4)) if shift else 0)
            start += len(line)
            self.ends.append(start)
            start += 1
        self.last = len(lines)
        for marks in (self.begins, self.firsts, self.ends):
            marks.append(self.size)
        self.indents.append(0)
        self.columns = [0] * len(self.begins)
        self.sections = [Section(0, "", 1)]
        self.level = self.margin = self.quotes = self.depth = 0
        self.list_margin = -1
        self.marker: re.Match[str] | None = None
        """That of the item whose own text comes next."""

    def parse(self, line: int, end: int) -> int:
        """Reads the blocks between two lines; returns the line after them."""
        while line < end:
            while line < self.last and self.is_empty(line):
                line += 1
            if line >= end or self.indents[line] < self.margin:
                break
            if self.level >= _MOST_NESTED:
                return end
            line = self._read_block(line, end)
            if line < end and self.is_empty(line):
                line += 1
        return line

    def is_empty(self, line: int) -> bool:
        return self.firsts[line] >= self.ends[line]

    def _is_code(self, line: int) -> bool:
        return self.indents[line] - self.margin >= _CODE_INDENT

    def _cut(self, line: int) -> str:
        return self.text[self.firsts[line] : self.ends[line]]

    def _read_block(self, line: int, end: int) -> int:
        if self._is_code(line):
            return self._read_code(line, end)
        after = self._read_table(line, end)
        if after:
            return after
        match self.text[self.firsts[line]]:
            case "`" | "~":
                after = self._read_fence(line, end)
            case ">":
                after = self._read_quote(line, end)
            case "[":
                after = self._skip_references(line)
            case "<":
                after = self._read_html(line, end)
            case "#":
                after = self._read_heading(line)
            case "*" | "-" | "_" if _RULER.fullmatch(self.text, self.firsts[line], self.ends[line]):
                after = line + 1
            case sign if sign in _LIST_SIGNS:
                after = self._read_list(line, end)
        return after or self._read_paragraph(line, end)

    def _interrupts(self, line: int, end: int, block: str) -> bool:
        """Whether a block begins in a line that could still belong to the one before it."""
        if self._is_code(line):
            return False
        first, stop = self.firsts[line], self.ends[line]
        found = False
        match self.text[first]:
            case "`" | "~":
                found = _FENCE.fullmatch(self.text, first, stop) is not None
            case ">":
                return True
            case "#":
                found = block != "list" and _HEADING.fullmatch(self.text, first, stop) is not None
            case "<":
                found = block != "list" and (self._find_html(line) or 0) in range(1, len(_HTML))
            case "*" | "-" | "_" if _RULER.fullmatch(self.text, first, stop):
                return True
            case sign if sign in _LIST_SIGNS:
                found = block != "list" and self._begins_list(line, in_paragraph=block == "paragraph")
        return found or (block in {"paragraph", "reference"} and self._find_table(line, end) is not None)

    def _begins_list(self, line: int, *, in_paragraph: bool) -> bool:
        marker = _LIST_MARKER.match(self.text, self.firsts[line], self.ends[line])
        if marker is None or self._is_outside_list(line):
            return False
        if not in_paragraph or self.indents[line] < self.margin:
            return True
        rest = self.text[marker.end() : self.ends[line]]
        return (marker[1] is None or int(marker[1]) == 1) and bool(rest.strip(" \t"))

    def _is_outside_list(self, line: int) -> bool:
        """Whether a line is indented too far for the list around, and not far enough for its item."""
        indent = self.indents[line]
        return self.list_margin >= 0 and indent - self.list_margin >= _CODE_INDENT and indent < self.margin

    def _add_text(self, line: int, text: str) -> None:
        blocks, quoted = self.sections[-1].blocks, self.quotes > 0
        if self.marker is None:
            blocks.append(Paragraph(line + 1, text, False, quoted))  # noqa: FBT003 - by position: there are many
            return
        box = _CHECKBOX.match(text)
        checked = box[1] != " " if box else None
        text = text[box.end() :] if box else text
        number, sign = self.marker[1], self.marker[0][-1]
        ordered, place = bool(number), int(number) if number else None
        blocks.append(Item(line + 1, text, self.depth, checked, ordered, place, quoted, "" if number else sign))
        self.marker = None

    def _join(self, line: int, end: int, indent: int) -> str:
        """The text of some lines without their indentation."""
        parts: list[str] = []
        for number in range(line, end):
            start, column = self.begins[number], 0
            while start <= self.ends[number] and column < indent:
                match self.text[start]:
                    case "\t":
                        column += 4 - (column + self.columns[number]) % 4
                    case " ":
                        column += 1
                    case _ if start < self.firsts[number]:
                        column += 1
                    case _:
                        break
                start += 1
            parts.append(" " * (column - indent) + self.text[start : self.ends[number]])
        return "\n".join(parts)

    def _measure(self, position: int, end: int, column: int, base: int) -> tuple[int, int]:
        """Where spaces and tabs end, and in which column."""
        while position < end:
            if self.text[position] == "\t":
                column += 4 - (column + base) % 4
            elif self.text[position] == " ":
                column += 1
            else:
                break
            position += 1
        return position, column

    def _read_code(self, line: int, end: int) -> int:
        after = number = line + 1
        while number < end:
            if not self.is_empty(number):
                if not self._is_code(number):
                    break
                after = number + 1
            number += 1
        text = self._join(line, after, 4 + self.margin)
        self.sections[-1].blocks.append(Code(line + 1, text.rstrip("\n"), ""))
        return after

    def _read_fence(self, line: int, end: int) -> int:
        opening = _FENCE.fullmatch(self.text, self.firsts[line], self.ends[line])
        if opening is None:
            return 0
        marks, language = (opening[1], opening[2]) if opening[1] else (opening[3], opening[4])
        number, closed = line + 1, 0
        while number < end:
            if self.indents[number] < self.margin and not self.is_empty(number):
                break
            if self.firsts[number] >= self.size:
                break
            closing = self._cut(number).rstrip(" \t")
            if closing.startswith(marks) and not closing.strip(marks[0]) and not self._is_code(number):
                closed = 1
                break
            number += 1
        text = self._join(line + 1, number, self.indents[line])
        first = line + 2 if number > line + 1 else line + 1  # an empty fence has no first line of code
        self.sections[-1].blocks.append(Code(first, text.rstrip("\n"), language.strip()))
        return number + closed

    def _read_heading(self, line: int) -> int:
        opening = _HEADING.fullmatch(self.text, self.firsts[line], self.ends[line])
        if opening is None:
            return 0
        title = opening[0][len(opening[1]) :].rstrip(" \t")
        if (shorter := title.rstrip("#")).endswith((" ", "\t")):
            title = shorter
        self.sections.append(Section(len(opening[1]), title.strip(_SPACES), line + 1))
        return line + 1

    def _find_html(self, line: int) -> int | None:
        """Which kind of HTML begins in a line."""
        text = self._cut(line)
        return next((kind for kind, (start, _) in enumerate(_HTML, 1) if start.match(text)), None)

    def _read_html(self, line: int, end: int) -> int:
        kind = self._find_html(line)
        if kind is None:
            return 0
        closing = _HTML[kind - 1][1]
        number = line + 1
        if closing is None or not closing.search(self._cut(line)):
            while number < end:
                empty = self.is_empty(number)
                if empty and closing is None:
                    break
                if self.indents[number] < self.margin and not empty:
                    break
                number += 1
                if closing is not None and closing.search(self._cut(number - 1)):
                    break
        text = self._join(line, number, self.margin)
        self.sections[-1].blocks.append(Paragraph(line + 1, text.rstrip("\n"), html=True))
        return number

    def _read_paragraph(self, line: int, end: int) -> int:
        """Reads a paragraph, or a heading that is underlined."""
        number = line + 1
        level = 0
        while number < self.last and not self.is_empty(number):
            indent = self.indents[number]
            if indent - self.margin < _CODE_INDENT:
                first = self.firsts[number]
                if (
                    self.text[first] in "-="
                    and number < end
                    and indent >= self.margin
                    and _UNDERLINE.fullmatch(self.text, first, self.ends[number])
                ):
                    level = 1 if self.text[first] == "=" else 2
                    break
                if indent >= 0 and self._interrupts(number, self.last, "paragraph"):
                    break
            number += 1
        text = self._join(line, number, self.margin).strip(_SPACES)
        if level:
            self.sections.append(Section(level, text, line + 1))
            return number + 1
        self._add_text(line, text)
        return number

    def _skip_references(self, line: int) -> int:
        """The line after link definitions; 0 if there are none."""
        lines = [self._cut(line)]
        number = line + 1
        while number < self.last and not self.is_empty(number):
            lazy = self._is_code(number) or self.indents[number] < 0
            if not lazy and self._interrupts(number, self.last, "reference"):
                break
            lines.append(self._cut(number))
            number += 1
        text = "\n".join(lines) + "\n"
        after, position = line, 0
        while position < len(text) and 0 <= self.indents[after] - self.margin < _CODE_INDENT:
            found = _REFERENCE.match(text, position)
            if found is None or not found[1].strip(_SPACES) or not _is_destination(found[2], found[3]):
                break
            after += text.count("\n", position, found.end()) + 1
            position = found.end() + 1
        return after if after > line else 0

    def _find_table(self, line: int, end: int) -> list[str] | None:
        """The header of a table, if one begins here."""
        below = line + 1
        if below >= end or self.indents[below] < self.margin or self._is_code(below):
            return None
        if not _TABLE_LINE.fullmatch(self.text, self.firsts[below], self.ends[below]):
            return None
        columns = [part.strip(_SPACES) for part in self._cut(below).split("|")]
        columns = columns[not columns[0] : len(columns) - (not columns[-1])]
        if not all(_COLUMN.fullmatch(column) for column in columns) or "|" not in self._cut(line):
            return None
        header = self._split_row(line)
        return header if header and len(header) == len(columns) else None

    def _split_row(self, line: int) -> list[str]:
        cells = _BAR.split(self._cut(line).strip(_SPACES))
        if cells and not cells[0]:
            cells.pop(0)
        if cells and not cells[-1]:
            cells.pop()
        return [cell.replace("\\|", "|").strip(_SPACES) for cell in cells]

    def _read_table(self, line: int, end: int) -> int:
        header = self._find_table(line, end)
        if header is None:
            return 0
        rows: list[Row] = []
        number, missing = line + 2, 0
        while number < end and self.indents[number] >= self.margin and not self.is_empty(number):
            if self._interrupts(number, end, "quote") or self._is_code(number):
                break
            if not self._cut(number).strip(_SPACES):
                break
            cells = self._split_row(number)
            missing += len(header) - len(cells)
            if missing > _MOST_MISSING_CELLS:
                break
            cells += [""] * (len(header) - len(cells))
            rows.append(Row(number + 1, tuple(cells[: len(header)])))
            number += 1
        self.sections[-1].blocks.append(Table(line + 1, tuple(map(plain, header)), tuple(rows)))
        return number

    def _read_list(self, line: int, end: int) -> int:
        marker = _LIST_MARKER.match(self.text, self.firsts[line], self.ends[line])
        if marker is None or self._is_outside_list(line):
            return 0
        sign = self.text[marker.end() - 1]
        self.depth += 1
        self.level += 2
        while marker is not None and self.text[marker.end() - 1] == sign:
            line = self._read_item(line, end, marker)
            if line >= end or self.indents[line] < self.margin or self._is_code(line):
                break
            if self._interrupts(line, end, "list"):
                break
            marker = _LIST_MARKER.match(self.text, self.firsts[line], self.ends[line])
        self.depth -= 1
        self.level -= 2
        return line

    def _read_item(self, line: int, end: int, marker: re.Match[str]) -> int:
        kept = self.firsts[line], self.indents[line], self.margin, self.list_margin
        self.marker = marker
        column = self.indents[line] + marker.end() - self.firsts[line]
        first, indent = self._measure(marker.end(), self.ends[line], column, self.columns[line])
        width = indent - column if first < self.ends[line] else 1
        self.list_margin = self.margin
        self.margin = column + (width if width <= _CODE_INDENT else 1)
        self.firsts[line], self.indents[line] = first, indent
        without_text = first >= self.ends[line] and self.is_empty(line + 1)
        after = min(line + 2, end) if without_text else self.parse(line, end)
        self.marker = None
        self.firsts[line], self.indents[line], self.margin, self.list_margin = kept
        return after

    def _read_quote(self, line: int, end: int) -> int:
        moved: list[tuple[int, int, int, int]] = []
        last, margin = self.last, self.margin
        number, empty = line, False
        while number < end:
            kept = self.begins[number], self.firsts[number], self.indents[number], self.columns[number]
            quoted = self.text[kept[1]] == ">" and (number == line or kept[2] >= margin)
            if number > line and self.is_empty(number):
                break
            if quoted:
                self._enter_quote(number)
                empty = self.is_empty(number)
            elif empty:
                break
            elif self._interrupts(number, end, "quote"):
                self.last = number
                if margin:
                    moved.append(kept)
                    self.indents[number] -= margin
                break
            else:
                self.indents[number] = -1  # goes on with the paragraph of the line before
            moved.append(kept)
            number += 1
        self.margin = 0
        self.level += 1
        self.quotes += 1
        after = self.parse(line, number)
        self.quotes -= 1
        self.level -= 1
        self.last, self.margin = last, margin
        for place, kept in enumerate(moved, line):
            self.begins[place], self.firsts[place], self.indents[place], self.columns[place] = kept
        return after

    def _enter_quote(self, line: int) -> None:
        """Moves the beginning of a line behind its mark and the space after it."""
        position, column = self.firsts[line] + 1, self.indents[line] + 1
        space = self.text[position]
        narrow = space == " " or (space == "\t" and (self.columns[line] + column) % 4 == 3)  # noqa: PLR2004 - a tab of one column
        position, start = position + narrow, column + narrow
        self.begins[line] = position
        base = self.columns[line] + (space == "\t" and not narrow)
        self.firsts[line], after = self._measure(position, self.ends[line], start, base)
        self.columns[line] = column + (space in " \t")
        self.indents[line] = after - start


def _is_destination(angled: str | None, bare: str | None) -> bool:
    """Whether a link may go there: parentheses in pairs, and no script."""
    open_now = 0
    for mark in _NESTING.findall(bare or ""):
        open_now += {"(": 1, ")": -1}.get(mark, 0)
        if not 0 <= open_now <= _MOST_PARENTHESES:
            return False
    target = _ESCAPED.sub(r"\1", bare or angled or "")
    if "&" in target:
        from html import unescape  # noqa: PLC0415 - hardly any has one

        target = unescape(target)
    return not open_now and not _UNSAFE.match(target.strip().lower())
