"""The current file as rows of cells: unified or side by side, folded, with comments below their lines.

Rows are built one by one when they are drawn; everything in them is safe to show.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, lru_cache

from handoff_tui.changes.files.lines import LineRow, Paint, Token, WordSpans, build_line_row, find_word_spans
from handoff_tui.changes.files.shown_file import LONGEST_LINE, PatchLines, ShownFile
from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.text.columns import compute_width, take_columns
from handoff_tui.core.text.labels import plural
from handoff_tui.core.text.page import Cell
from handoff_tui.core.text.page_layout import wrap_words
from handoff_tui.core.text.safe_text import render_safe, render_safe_lines
from handoff_tui.decisions.threads import Thread
from handoff_tui.git.file_diff import DiffLine, FileKind
from handoff_tui.log.review_record import Comment
from handoff_tui.tui.views.changes.bars import HeadRow, build_head, has_many_changes
from handoff_tui.tui.views.changes.row_map import NO_LINE, DiffRow, FixedRows, Folding, RowKind, RowMap

_HASH, _SLASHES, _DASHES = r"\#[^\n]*", r"//[^\n]*", r"--[^\n]*"
_BLOCK = r"/\*[\s\S]*?(?:\*/|\Z)"
_MARKUP_COMMENT = r"<!--[\s\S]*?(?:-->|\Z)"
_DOUBLE = r'"(?:[^"\\\n]|\\.)*(?:"|$)'
_SINGLE = r"'(?:[^'\\\n]|\\.)*(?:'|$)"
_CHARACTER = r"'(?:[^'\\\n]|\\.[^'\n]{0,8})'"
_TRIPLE = r'"""[\s\S]*?(?:"""|\Z)' + r"|'''[\s\S]*?(?:'''|\Z)"
_BACKTICK = r"`(?:[^`\\]|\\[\s\S])*(?:`|\Z)"
_NUMBER = r"\b\d[\w.]*"
_WORD = r"[^\W\d]\w*"
_DECORATOR = r"@[^\W\d][\w.]*"
_KEY = r"^[ \t]*(?:-[ \t]+)?[\w.\"'-]+(?=[ \t]*[:=])"
_TAG = r"</?[A-Za-z][\w:-]*"
_HEADING = r"^\#{1,6}[ ][^\n]*"
_SECTION = r"^\[[^\]\n]*\]"

_PYTHON = (
    "and as assert async await break case class continue def del elif else except finally for from global if import in "
    "is lambda match nonlocal not or pass raise return try while with yield True False None self"
)
_SCRIPT = (
    "abstract as async await break case catch class const continue debugger declare default delete do else enum export "
    "extends finally for from function get if implements import in instanceof interface let new null of private public "
    "readonly return set static super switch this throw true false try type typeof undefined var void while yield"
)
_C = (
    "auto bool break case catch char class const constexpr continue default delete do double else enum explicit extern "
    "false float for friend if inline int long namespace new nullptr operator private protected public return short "
    "signed sizeof static struct switch template this throw true try typedef typename union unsigned using virtual "
    "void volatile while NULL"
)
_JAVA = (
    "abstract as base boolean break by byte case catch class companion const continue data default do double else enum "
    "extends false final finally float for fun get if implements import in init instanceof int interface internal is "
    "long namespace new null object override package private protected public return sealed set short static string "
    "super switch synchronized this throw throws true try typealias using val var void volatile when while yield"
)
_GO = (
    "break case chan const continue default defer else fallthrough false for func go goto if import interface map nil "
    "package range return select struct switch true type var"
)
_RUST = (
    "as async await break const continue crate dyn else enum extern false fn for if impl in let loop match mod move "
    "mut pub ref return self Self static struct super trait true type unsafe use where while"
)
_SWIFT = (
    "as associatedtype break case catch class continue default defer deinit do else enum extension fallthrough false "
    "for func guard if import in init inout is let nil operator private protocol public return self static struct "
    "super switch throw throws true try typealias var where while pub comptime fn const error orelse"
)
_RUBY = (
    "alias and begin break case class def defined do else elsif end ensure false fn for if in module next nil not or "
    "raise redo rescue retry return self super then true undef unless until when while yield defmodule use import "
    "function local repeat"
)
_SHELL = "case do done elif else esac export fi for function if in local readonly return set then unset until while"
_PHP = _SCRIPT + " echo elseif foreach function global namespace require require_once use print array isset empty"
_SQL = (
    "add all alter and as asc begin between by case check column commit constraint create default delete desc distinct "
    "drop else end exists foreign from full group having if in index inner insert into is join key left like limit not "
    "null on or order outer primary references right rollback select set table then union unique update values view "
    "when where with"
)


class Language(NamedTuple):
    """Patterns by what they show, and words."""

    comments: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    headings: tuple[str, ...] = ()
    keywords: str = ""
    any_case: bool = False


_C_COMMENTS, _C_TEXTS = (_SLASHES, _BLOCK), (_DOUBLE, _CHARACTER)
_LANGUAGES: dict[str, Language] = {
    "py pyi": Language((_HASH,), (_TRIPLE, _DOUBLE, _SINGLE), (_DECORATOR,), (), _PYTHON),
    "js mjs cjs jsx ts tsx mts": Language(_C_COMMENTS, (_DOUBLE, _SINGLE, _BACKTICK), (_DECORATOR,), (), _SCRIPT),
    "c h cc cpp cxx hpp hh": Language(_C_COMMENTS, _C_TEXTS, (), (r"^[ \t]*\#[^\n]*",), _C),
    "java kt cs scala dart groovy": Language(_C_COMMENTS, (_TRIPLE, *_C_TEXTS), (_DECORATOR,), (), _JAVA),
    "go": Language(_C_COMMENTS, (*_C_TEXTS, _BACKTICK), (), (), _GO),
    "rs": Language(_C_COMMENTS, _C_TEXTS, (), (), _RUST),
    "swift zig": Language(_C_COMMENTS, (_TRIPLE, *_C_TEXTS), (_DECORATOR,), (), _SWIFT),
    "rb rake ex exs lua": Language((_HASH, _DASHES), (_TRIPLE, _DOUBLE, _SINGLE), (), (), _RUBY),
    "sh bash zsh": Language((r"(?:^|(?<=\s))\#[^\n]*",), (_DOUBLE, _SINGLE), (), (), _SHELL),
    "php": Language((*_C_COMMENTS, _HASH), (_DOUBLE, _SINGLE), (), (), _PHP),
    "sql": Language((_DASHES, _BLOCK), (_SINGLE,), (), (), _SQL, any_case=True),
    "css scss": Language(_C_COMMENTS, (_DOUBLE, _SINGLE), (r"[\w-]+(?=[ \t]*:)",)),
    "json": Language((), (_DOUBLE,), (), (), "true false null"),
    "yml yaml": Language((r"(?:^|(?<=\s))\#[^\n]*",), (_DOUBLE, _SINGLE), (_KEY,), (), "true false null yes no"),
    "toml ini cfg": Language((_HASH,), (_TRIPLE, _DOUBLE, _SINGLE), (_KEY,), (_SECTION,), "true false"),
    "html htm xml svg": Language((_MARKUP_COMMENT,), (_DOUBLE, _SINGLE), (_TAG,)),
    "md markdown": Language((_MARKUP_COMMENT,), (_BACKTICK,), (), (_HEADING,)),
    "makefile mk dockerfile": Language((_HASH,), (_DOUBLE, _SINGLE), (r"^[\w.%/-]+(?=[ \t]*:)",), (), _SHELL),
}
_BY_ENDING = {ending: language for endings, language in _LANGUAGES.items() for ending in endings.split()}
_DEFINING = frozenset(
    {
        *("class", "def", "defmodule", "enum", "fn", "fun", "func", "function", "impl", "interface"),
        *("module", "mod", "struct", "trait", "type"),
    }
)
"""A name follows these words."""

_WHOLE_NAMES = frozenset({"makefile", "dockerfile"})

Word = tuple[int, int, str]


def find_language(path: str) -> Language | None:
    """Returns the language by a file's ending or name; None if unknown."""
    name = path.rpartition("/")[2].lower()
    return _BY_ENDING.get(name.rpartition(".")[2]) if "." in name or name in _WHOLE_NAMES else None


def find_words(language: Language, text: str) -> list[Word]:
    """Returns start, end and role of everything in a text that has a role."""
    keywords = _list_keywords(language)
    found: list[Word] = []
    defines = False
    for match in _compile(language).finditer(text):
        role = match.lastgroup
        if role == "word":
            word = match.group()
            role = "keyword" if (word.lower() if language.any_case else word) in keywords else "name" if defines else ""
            defines = word in _DEFINING and role == "keyword"
        if role:
            found.append((*match.span(), f"syntax-{role}"))
    return found


@cache
def _compile(language: Language) -> re.Pattern[str]:
    groups = (
        ("comment", language.comments),
        ("keyword", language.headings),
        ("name", language.names),
        ("string", language.texts),
        ("number", (_NUMBER,)),
        ("word", (_WORD,)),
    )
    parts = [f"(?P<{name}>{'|'.join(patterns)})" for name, patterns in groups if patterns]
    return re.compile("|".join(parts), re.MULTILINE)


@cache
def _list_keywords(language: Language) -> frozenset[str]:
    return frozenset(language.keywords.split())


_WINDOW = 64
"""How many lines are read together."""
_LEAD = 32
"""How many lines before them are read too, so that a multi-line text is rarely cut in two."""
_LONGEST_LINE = 1_000
"""Longer lines aren't coloured: nobody wrote them by hand."""
_KEPT_WINDOWS = 64

LineTokens = tuple[Token, ...]


class Highlighter:
    """Colours for the lines of one file, cached for a while."""

    def __init__(self, path: str, lines: PatchLines) -> None:
        self._lines = lines
        self._language = find_language(path)
        self._windows: OrderedDict[int, dict[int, LineTokens]] = OrderedDict()

    def find_tokens(self, index: int) -> LineTokens:
        """Returns the coloured words of a line; none if the language is unknown."""
        if self._language is None:
            return ()
        number = index // _WINDOW
        window = self._windows.get(number)
        if window is None:
            window = self._windows[number] = self._read_window(number)
            if len(self._windows) > _KEPT_WINDOWS:
                self._windows.popitem(last=False)
        return window.get(index, ())

    def _read_window(self, number: int) -> dict[int, LineTokens]:
        """Reads each side as one text. Of the old side only deleted lines are read; the others are in the new one."""
        first, last = number * _WINDOW, min((number + 1) * _WINDOW, len(self._lines))
        places = range(max(0, first - _LEAD), last)
        marks = self._lines.marks
        old = [index for index in places if marks[index] == ord("-")]
        new = [index for index in places if marks[index] != ord("-")]
        return {**self._read_side(old, first), **self._read_side(new, first)}

    def _read_side(self, places: list[int], first: int) -> dict[int, LineTokens]:
        if self._language is None or not places or places[-1] < first:
            return {}
        texts = [self._read_text(index) for index in places]
        words = split_words(find_words(self._language, "\n".join(texts)), texts)
        return {place: tuple(found) for place, found in zip(places, words, strict=True) if place >= first and found}

    def _read_text(self, index: int) -> str:
        return "" if self._lines.count_bytes(index) > _LONGEST_LINE else self._lines.read_line(index).text


def split_words(words: Iterable[Word], texts: list[str]) -> list[list[Token]]:
    """Splits the words of a text by line."""
    found: list[list[Token]] = [[] for _ in texts]
    starts = [0]
    for text in texts:
        starts.append(starts[-1] + len(text) + 1)
    line = 0
    for start, end, role in words:
        while line + 1 < len(texts) and starts[line + 1] <= start:
            line += 1
        place = line
        while place < len(texts) and starts[place] < end:
            begin, stop = max(start, starts[place]), min(end, starts[place + 1] - 1)
            if begin < stop:
                found[place].append((begin - starts[place], stop - starts[place], role))
            place += 1
    return found


_KEPT_PAIRS = 1_000
_NO_SPANS = WordSpans()

Cells = tuple[Cell, ...]


class Pane(NamedTuple):
    """One side of a row, or all of it: a fixed gutter, and content that scrolls sideways."""

    gutter: Cells
    content: Cells
    ground: str = ""
    """`added`, `removed`, or empty."""
    fill: str = ""
    """The character that fills the rest of the row."""


class DiffLook(NamedTuple):
    """How the file is shown."""

    wrong: frozenset[int] = frozenset()
    """The lines that have a problem."""

    split: bool = False
    folding: Folding = Folding()
    colours: bool = True
    """Whether code is highlighted."""
    tinted: bool = True
    """Whether changed lines have a background; otherwise the change alone colours their words."""
    expanded: bool = False
    """Whether a file that is normally folded is shown anyway."""


class DiffRows:
    """All rows of one file. Creating it is cheap; each row is built on demand."""

    def __init__(
        self,
        file: ShownFile,
        look: DiffLook,
        comments: Sequence[Comment] = (),
        width: int = 80,
        threads: Sequence[Thread] = (),
    ) -> None:
        """`comments` are drafts; a reply among them is shown in its thread."""
        self.file = file
        self.look = look
        self._head = build_head(file, width, expanded=look.expanded)
        shown = self._head.shows_lines
        many = has_many_changes(file)
        self.split = look.split and not many
        self._said = [*_lay_out_threads(file, comments, threads, width), *_lay_out_comments(file, comments, width)]
        fixed = [FixedRows(NO_LINE, len(self._head.rows)), *(one.fixed for one in self._said)]
        folding = look.folding._replace(context=None) if many else look.folding
        lines = file.lines if shown else type(file.lines)()
        self.map = RowMap(lines, folding, tuple(fixed), split=self.split)
        self._highlighter = Highlighter(file.change.path, file.lines) if look.colours else None
        self._numbers = max(4, len(str(max(file.lines.find_last_numbers()))))
        self._find_spans = lru_cache(_KEPT_PAIRS)(self._compare)

    def __len__(self) -> int:
        return self.map.count

    def build(self, index: int) -> tuple[Pane, ...]:
        """Builds the panes of a row: two side by side, or one."""
        row = self.map.find_row(index)
        if row.kind is RowKind.FIXED:
            return (Pane((), self._build_fixed(row)),)
        if row.kind is RowKind.GAP:
            return (Pane((), _build_gap(row), fill="⋯"),)
        if not self.split:
            return (self._build_unified(row.left),)
        return (self._build_side(row.left, old=True), self._build_side(row.right, old=False))

    def find_comment(self, index: int) -> Comment | None:
        """Returns the draft that a row belongs to; None if there is none."""
        said = self._find_said(index)
        return said.comment if said is not None and said.thread is None else None

    def find_thread(self, index: int) -> Thread | None:
        """Returns the thread that a row belongs to; None if there is none."""
        said = self._find_said(index)
        return said.thread if said is not None else None

    def _find_said(self, index: int) -> _CommentRows | None:
        row = self.map.find_row(index) if index < len(self) else None
        if row is None or row.kind is not RowKind.FIXED or row.block == 0:
            return None
        return self._said[row.block - 1]

    def find_head(self, index: int) -> HeadRow | None:
        """Returns the head row at this position; None if there is none."""
        row = self.map.find_row(index) if index < len(self) else None
        if row is None or row.kind is not RowKind.FIXED or row.block != 0:
            return None
        return self._head.rows[row.part]

    def find_line(self, index: int) -> DiffLine | None:
        """Returns the line that a row shows; the new one of two."""
        row = self.map.find_row(index) if index < len(self) else None
        if row is None or row.kind in {RowKind.FIXED, RowKind.GAP}:
            return None
        return self.file.lines.read_line(row.line)

    def _build_fixed(self, row: DiffRow) -> Cells:
        return self._head.rows[row.part].cells if row.block == 0 else self._said[row.block - 1].rows[row.part]

    def _build_unified(self, index: int) -> Pane:
        row = self._build_line(index)
        line = row.line
        old, new = line.old_number or "", line.new_number or ""
        gutter = Cell(f"{old:>{self._numbers}} {new:>{self._numbers}} ", "muted")
        return _build_pane((gutter, self._mark(line.new_number), Cell(" ", "muted")), row)

    def _mark(self, number: int | None) -> Cell:
        """A problem at a line is marked in its gutter."""
        return Cell("✗", "fail") if number is not None and number in self.look.wrong else Cell("│", "muted")

    def _build_side(self, index: int, *, old: bool) -> Pane:
        if index == NO_LINE:
            return Pane((), (), fill="╲")
        row = self._build_line(index)
        number = row.line.old_number if old else row.line.new_number
        return _build_pane((Cell(f"{number or '':>{self._numbers}} ", "muted"),), row)

    def _build_line(self, index: int) -> LineRow:
        lines = self.file.lines
        line = lines.read_line(index)
        if self.file.kind is FileKind.SYMLINK:  # a link's target never ends with a newline
            line = line._replace(ends_without_newline=False)
        changed = line.mark != " "
        length = lines.count_bytes(index)
        coloured = self._highlighter is not None and (self.look.tinted or not changed)
        tokens = self._highlighter.find_tokens(index) if self._highlighter is not None and coloured else ()
        role = "text" if changed and coloured and self.look.tinted else None
        spans = self._find_word_spans(index, line.mark) if changed else ()
        return build_line_row(line, spans, Paint(role, tokens, max(0, length - LONGEST_LINE)))

    def _find_word_spans(self, index: int, mark: str) -> tuple[tuple[int, int], ...]:
        run = self.file.lines.runs.find(index)
        if run is None:
            return ()
        if mark == "-":
            partner = run.middle + index - run.start
            return self._find_spans(index, partner).old if partner < run.end else ()
        partner = run.start + index - run.middle
        return self._find_spans(partner, index).new if partner < run.middle else ()

    def _compare(self, old: int, new: int) -> WordSpans:
        lines = self.file.lines
        if max(lines.count_bytes(old), lines.count_bytes(new)) > LONGEST_LINE:
            return _NO_SPANS
        return find_word_spans(lines.read_line(old).text, lines.read_line(new).text)


class _CommentRows(NamedTuple):
    """A draft or a thread, laid out."""

    comment: Comment
    fixed: FixedRows
    rows: tuple[Cells, ...]
    thread: Thread | None = None


def _build_pane(numbers: Cells, row: LineRow) -> Pane:
    mark = row.line.mark
    role = {"+": "added", "-": "removed"}.get(mark, "muted")
    warning = (Cell("  ! hidden character", "warning"),) if row.hidden else ()
    beside = Cell("!", "hidden") if row.hidden else Cell(" ")
    return Pane((*numbers, Cell(mark, role), beside), (*row.cells, *warning), role if role != "muted" else "")


def _build_gap(row: DiffRow) -> Cells:
    return (Cell(f" ⋯ {plural(row.part, 'line')} hidden (↵ shows them) ", "muted"),)


def _lay_out_comments(file: ShownFile, comments: Sequence[Comment], width: int) -> list[_CommentRows]:
    """Puts comments on lines below their last line, and comments on the file below its head."""
    said: list[_CommentRows] = []
    for comment in comments:
        if comment.path != file.change.path or comment.thread:
            continue
        number = comment.end_line or comment.line
        after = NO_LINE if number is None else file.lines.find_numbered(number)
        if after is None:
            continue
        place = "the file" if comment.line is None else comment.place.removeprefix(f"{comment.path}:")
        rows = _wrap(f"your draft on {place}: ", comment.text, width)
        said.append(_CommentRows(comment, FixedRows(after, len(rows)), tuple(rows)))
    return said


def _lay_out_threads(
    file: ShownFile, drafts: Sequence[Comment], threads: Sequence[Thread], width: int
) -> Iterator[_CommentRows]:
    """Puts open threads below the line where they are now; with no line left, below the head of the file."""
    for thread in threads:
        replies = [draft for draft in drafts if draft.thread == thread.id]
        if thread.path != file.change.path or (thread.resolved_by and not replies):
            continue
        number = thread.end_line or thread.line
        after = NO_LINE if number is None else file.lines.find_numbered(number)
        if after is None:
            continue
        gone = "" if thread.line is not None or thread.comment.line is None else ", on lines that are gone"
        rows = _wrap(f"{thread.author}, attempt {thread.attempt}{gone}: ", thread.comment.text, width)
        for reply in thread.replies:
            rows += _wrap(f"  {reply.author}: ", reply.text, width)
        for draft in replies:
            words = f"your draft {'settles it' if draft.resolves else 'reply'}"
            rows += _wrap(f"  {words}{': ' if draft.text else ''}", draft.text, width)
        yield _CommentRows(thread.comment, FixedRows(after, len(rows)), tuple(rows), thread)


def _wrap(lead: str, text: str, width: int) -> list[Cells]:
    """Wraps what somebody said, after the words that say who."""
    rows: list[Cells] = []
    for line in render_safe_lines(text) or [""]:
        words = f"{'':>13}┊ " + (render_safe(lead) if not rows else "")
        wrapped = wrap_words([Cell(words, "human"), Cell(line)], max(20, width - 1), max(20, width - 16))
        rows += [wrapped[0], *((Cell(f"{'':>13}┊ ", "human"), *row) for row in wrapped[1:])]
    return rows


def shift_cells(cells: Cells, columns: int) -> Cells:
    """Drops the first columns of some cells; a wide character cut in two leaves a blank."""
    left: list[Cell] = []
    for cell in cells:
        if columns <= 0:
            left.append(cell)
            continue
        gone = take_columns(cell.text, columns)
        rest = cell.text[len(gone) :]
        columns -= compute_width(gone)
        if rest and columns > 0:
            rest, columns = f" {rest[1:]}", 0
        if rest:
            left.append(Cell(rest, cell.role))
    return tuple(left)
