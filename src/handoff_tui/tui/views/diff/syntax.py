"""The words of a program in colours, for the lines in view and for no others."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable

from handoff_tui.changes.files.lines import Token
from handoff_tui.changes.files.patch_lines import PatchLines
from handoff_tui.tui.views.diff.languages import Word, find_language, find_words

_WINDOW = 64
"""So many lines are read together."""
_LEAD = 32
"""And up to so many before them, so that a text of several lines is seldom cut in two."""
_LONGEST_LINE = 1_000
"""A longer line has no colours: nobody wrote it by hand."""
_KEPT_WINDOWS = 64

LineTokens = tuple[Token, ...]


class Highlighter:
    """Colours for the lines of one file. What was read is kept for a while."""

    def __init__(self, path: str, lines: PatchLines) -> None:
        self._lines = lines
        self._language = find_language(path)
        self._windows: OrderedDict[int, dict[int, LineTokens]] = OrderedDict()

    def find_tokens(self, index: int) -> LineTokens:
        """The words of a line that have a colour; none in a language we do not know."""
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
        """Each side is a text of its own; of the old one only deleted lines are read, the others are in the new one."""
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
    """Words of a whole text as words of its lines."""
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
