"""Hunks as rows to draw, unified or side by side, with the words that differ marked. What you see is the bytes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.core.text.labels import plural
from handoff_tui.core.text.page import Cell
from handoff_tui.core.text.safe_text import find_hidden, render_safe, split_hidden
from handoff_tui.git.file_diff import DiffLine, FileDiff, FileKind, Hunk

MOST_CHARACTERS = 2_000
"""Longer lines get no word marks."""
MOST_PAIRS = 500
"""Hunks with more pairs get no word marks."""
_MOST_WORDS = 200
"""With more words between the first and last difference, they count as one."""
_LEAST_COMMON = 0.3
"""Lines that share fewer of their letters are different lines, not one changed line."""
_WORD = compile_later(r"\w+|\s+|.", re.DOTALL)

Span = tuple[int, int]
"""Start and end of some characters."""


class WordSpans(NamedTuple):
    """The spans that differ on the old line and the new one."""

    old: tuple[Span, ...] = ()
    new: tuple[Span, ...] = ()


_NONE = WordSpans()
LinePair = tuple[DiffLine | None, DiffLine | None]


def find_word_spans(old: str, new: str) -> WordSpans:
    """The spans that differ; none if a line is too long or the two have little in common."""
    if old == new or max(len(old), len(new)) > MOST_CHARACTERS:
        return _NONE
    old_words, new_words = _WORD.findall(old), _WORD.findall(new)
    begin = _count_common(old_words, new_words)
    end = _count_common(old_words[begin:][::-1], new_words[begin:][::-1])
    old_middle, new_middle = old_words[begin : len(old_words) - end], new_words[begin : len(new_words) - end]
    codes = _compare_words(old_middle, new_middle)
    common = [*old_words[:begin], *old_words[len(old_words) - end :]]
    common += [word for code, first, last, _, _ in codes if code == "equal" for word in old_middle[first:last]]
    if not _is_one_line_changed(common, old, new):
        return _NONE
    offset = sum(map(len, old_words[:begin]))
    return WordSpans(
        _build_spans([(first, last) for code, first, last, _, _ in codes if code != "equal"], old_middle, offset),
        _build_spans([(first, last) for code, _, _, first, last in codes if code != "equal"], new_middle, offset),
    )


def pair_lines(hunk: Hunk) -> list[LinePair]:
    """Pairs old and new: a context line with itself, deleted lines with the added ones that follow."""
    pairs: list[LinePair] = []
    deleted: list[DiffLine] = []
    added: list[DiffLine] = []
    for line in hunk.lines:
        if line.mark == "+":
            added.append(line)
            continue
        if line.mark != "-" or added:
            pairs += _zip_longest(deleted, added)
            deleted, added = [], []
        if line.mark == "-":
            deleted.append(line)
        else:
            pairs.append((line, line))
    return pairs + _zip_longest(deleted, added)


def find_hunk_spans(pairs: list[LinePair]) -> dict[DiffLine, tuple[Span, ...]]:
    """The spans of every changed line with a counterpart."""
    changed = [(old, new) for old, new in pairs if old is not None and new is not None and old is not new]
    spans: dict[DiffLine, tuple[Span, ...]] = {}
    if len(changed) > MOST_PAIRS:
        return spans
    for old, new in changed:
        spans[old], spans[new] = find_word_spans(old.text, new.text)
    return spans


def _zip_longest(deleted: list[DiffLine], added: list[DiffLine]) -> list[LinePair]:
    most = max(len(deleted), len(added))
    return [
        (deleted[place] if place < len(deleted) else None, added[place] if place < len(added) else None)
        for place in range(most)
    ]


def _count_common(first: list[str], second: list[str]) -> int:
    count = 0
    for one, other in zip(first, second, strict=False):
        if one != other:
            break
        count += 1
    return count


def _compare_words(old: list[str], new: list[str]) -> list[tuple[str, int, int, int, int]]:
    if max(len(old), len(new)) > _MOST_WORDS:
        return [("replace", 0, len(old), 0, len(new))]
    return list(SequenceMatcher(None, old, new, autojunk=False).get_opcodes())


def _is_one_line_changed(common: list[str], old: str, new: str) -> bool:
    longer = max(_count_letters(old), _count_letters(new))
    return sum(map(_count_letters, common)) >= _LEAST_COMMON * longer


def _count_letters(text: str) -> int:
    return sum(map(len, text.split()))


def _build_spans(places: list[Span], words: list[str], offset: int) -> tuple[Span, ...]:
    """Word positions as character positions; joins spans with only spaces between them."""
    starts = [offset]
    for word in words:
        starts.append(starts[-1] + len(word))
    spans: list[Span] = []
    for first, last in places:
        if first == last:
            continue
        start, end = starts[first], starts[last]
        if spans and "".join(words[starts.index(spans[-1][1]) : first]).isspace():
            start = spans.pop()[0]
        spans.append((start, end))
    return tuple(spans)


MOST_SHOWN = 2_000
"""Only this many characters of a line are drawn."""
NO_NEWLINE = "no newline at the end"
_ROLES = {"+": ("added", "added-word"), "-": ("removed", "removed-word")}
_CONTEXT = ("text", "text")
_BLANKS = " \t"


Token = tuple[int, int, str]
"""Start, end, and the role that colours it."""


class Paint(NamedTuple):
    """How a line is coloured apart from its changes, and how many of its bytes are missing from its text."""

    role: str | None = None
    """Replaces the role of its mark."""
    tokens: Sequence[Token] = ()
    left_out: int = 0


_PLAIN = Paint()


class LineRow(NamedTuple):
    """A line of a hunk: its content as cells, and its hidden characters."""

    line: DiffLine
    cells: tuple[Cell, ...]
    hidden: tuple[str, ...] = ()


class HunkRow(NamedTuple):
    """The header of a hunk."""

    hunk: Hunk
    cells: tuple[Cell, ...]


class PairRow(NamedTuple):
    """Old and new; None if there is no counterpart."""

    left: LineRow | None
    right: LineRow | None


def build_unified_rows(diff: FileDiff) -> Iterator[HunkRow | LineRow]:
    """Rows in patch order; lazy, since a front end shows only a part."""
    for hunk, heading, pairs in _walk(diff):
        yield heading
        spans = find_hunk_spans(pairs)
        for line in hunk.lines:
            yield build_line_row(line, spans.get(line, ()))


def build_split_rows(diff: FileDiff) -> Iterator[HunkRow | PairRow]:
    """The same, old on the left and new on the right."""
    for _, heading, pairs in _walk(diff):
        yield heading
        spans = find_hunk_spans(pairs)
        for old, new in pairs:
            left = None if old is None else build_line_row(old, spans.get(old, ()))
            if new is old:
                yield PairRow(left, left)
            else:
                yield PairRow(left, None if new is None else build_line_row(new, spans.get(new, ())))


def build_line_row(line: DiffLine, spans: Sequence[Span] = (), paint: Paint = _PLAIN) -> LineRow:
    """One line; changed words, trailing blanks and hidden characters stand out."""
    role, word_role = _ROLES.get(line.mark, _CONTEXT)
    role = paint.role or role
    text, ending = (line.text[:-1], "\r") if line.text.endswith("\r") else (line.text, "")
    shown = text[:MOST_SHOWN]
    body = shown.rstrip(_BLANKS) if line.mark != " " and shown == text else shown
    cells: list[Cell] = []
    for start, end, marked in _cut(len(body), spans):
        if marked:
            cells += _draw(body[start:end], word_role, marked=True)
            continue
        for first, last, token_role in _cut_tokens(start, end, paint.tokens, role):
            cells += _draw(body[first:last], token_role, marked=False)
    if len(body) < len(shown):
        cells.append(Cell(_draw_blanks(shown[len(body) :]), word_role))
    if paint.left_out:
        cells.append(Cell(f"… {plural(len(text) - len(shown) + paint.left_out, 'more byte')} or so", "muted"))
    elif len(shown) < len(text):
        cells.append(Cell(f"… {plural(len(text) - len(shown), 'more character')}", "muted"))
    if ending:
        cells.append(Cell(render_safe(ending), word_role if any(end > len(text) for _, end in spans) else "muted"))
    if line.ends_without_newline:
        cells.append(Cell(f"  ({NO_NEWLINE})", "muted"))
    return LineRow(line, tuple(cells), find_hidden(text))


def find_hidden_lines(diff: FileDiff) -> list[tuple[int, tuple[str, ...]]]:
    """New line numbers of added lines with hidden characters, and which."""
    added = (line for hunk in diff.hunks for line in hunk.lines if line.mark == "+")
    found = ((line.new_number or 0, find_hidden(line.text.removesuffix("\r"))) for line in added)
    return [(number, hidden) for number, hidden in found if hidden]


def _walk(diff: FileDiff) -> Iterator[tuple[Hunk, HunkRow, list[LinePair]]]:
    end = 1
    for found in diff.hunks:
        # a link's target never ends with a newline
        hunk = _end_lines(found) if diff.kind is FileKind.SYMLINK else found
        # for an empty side git names the line before it
        start = hunk.old_start if hunk.old_count else hunk.old_start + 1
        yield hunk, _build_hunk_row(hunk, start - end), pair_lines(hunk)
        end = start + hunk.old_count


def _end_lines(hunk: Hunk) -> Hunk:
    return hunk._replace(lines=tuple(line._replace(ends_without_newline=False) for line in hunk.lines))


def _build_hunk_row(hunk: Hunk, skipped: int) -> HunkRow:
    place = f"@@ -{hunk.old_start},{hunk.old_count} +{hunk.new_start},{hunk.new_count} @@"
    cells = [Cell(place, "hunk")]
    if hunk.heading:
        cells.append(Cell(f" {render_safe(hunk.heading)}", "muted"))
    if skipped > 0:
        cells.append(Cell(f"  {plural(skipped, 'equal line')} before", "muted"))
    return HunkRow(hunk, tuple(cells))


def _cut(length: int, spans: Sequence[Span]) -> Iterator[tuple[int, int, bool]]:
    """Cuts the length into pieces inside or outside the spans."""
    position = 0
    for start, end in spans:
        if position < min(start, length):
            yield position, min(start, length), False
        if start < length:
            yield start, min(end, length), True
        position = end
    if position < length:
        yield position, length, False


def _cut_tokens(start: int, end: int, tokens: Sequence[Token], role: str) -> Iterator[Token]:
    """Cuts a piece of a line at its tokens; the rest has the role of the line."""
    position = start
    for first, last, token_role in tokens:
        if last <= position:
            continue
        if first >= end:
            break
        if first > position:
            yield position, first, role
        position = max(position, first)
        yield position, min(last, end), token_role
        position = min(last, end)
    if position < end:
        yield position, end, role


def _draw(text: str, role: str, *, marked: bool) -> list[Cell]:
    if text.isascii() and text.isprintable() and (not marked or text.strip(_BLANKS)):
        return [Cell(text, role)]
    if marked and not text.strip(_BLANKS):
        return [Cell(_draw_blanks(text), role)]
    if marked:
        text = text.replace("\t", "→   ")
    return [Cell(piece, "hidden" if hidden else role) for piece, hidden in split_hidden(text)]


def _draw_blanks(text: str) -> str:
    """Makes blanks visible."""
    return text.replace(" ", "·").replace("\t", "→   ")
