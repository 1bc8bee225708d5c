"""Which words differ inside a pair of changed lines. Bounded: no line, however made, takes long."""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from typing import NamedTuple

from handoff_tui.git.file_diff import DiffLine, Hunk

MOST_CHARACTERS = 2_000
"""Pairs with a longer line get no marks."""
MOST_PAIRS = 500
"""Hunks with more pairs get no marks."""
_MOST_WORDS = 200
"""With more words between the first and the last difference, all of them count as one."""
_LEAST_COMMON = 0.3
"""Lines that share less than this of their letters are two different lines, not one that was changed."""
_WORD = re.compile(r"\w+|\s+|.", re.DOTALL)

Span = tuple[int, int]
"""From the first character to behind the last."""


class WordSpans(NamedTuple):
    """What differs on the old line and on the new one."""

    old: tuple[Span, ...] = ()
    new: tuple[Span, ...] = ()


_NONE = WordSpans()
LinePair = tuple[DiffLine | None, DiffLine | None]


def find_word_spans(old: str, new: str) -> WordSpans:
    """The spans that differ; none when a line is too long or the two have little in common."""
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
    """Old beside new: a context line with itself, deleted lines with the added ones that follow them, in order."""
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
    """The spans of each changed line that has a counterpart."""
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
    """Places among words to places among characters; spans with only a space between them are one."""
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
