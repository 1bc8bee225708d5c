"""What a terminal sends, before it becomes keys: half a sequence waits for its rest, and a paste is text alone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from textual._xterm_parser import XTermParser
from textual.message import Message

from handoff_tui.core.lazy_pattern import compile_later

_ESCAPE, _SHOWN_ESCAPE = "\x1b", "␛"
_PASTE, _PASTE_END = "\x1b[200~", "\x1b[201~"
_UNFINISHED = compile_later(r"\x1b(?:\[[0-9;:?<>=]*|O)\Z")
"""The beginning of a key. Escape alone is a key, too, and never waits here."""
_LONGEST_WAIT = 1.0
"""Over a slow connection the rest of a sequence comes later than the framework waits for it."""
_CONTROLS = {
    **{code: chr(0x2400 + code) for code in range(0x20) if chr(code) != "\n"},
    0x7F: "␡",
    **dict.fromkeys(range(0x80, 0xA0), "\ufffd"),
}
_TAB_COLUMNS = 4


class SteadyParser(XTermParser):
    """Reads keys as the framework does, whatever a slow line or a pasted text is made of.

    An escape inside a paste would make the framework take the letters after it for keys.
    """

    def __init__(self, debug: bool = False) -> None:  # noqa: FBT001, FBT002 - the framework's way to make it
        super().__init__(debug)
        self._held, self._held_at = "", 0.0
        self._pasting = False

    def feed(self, data: str) -> Iterable[Message]:
        """Yields what has come completely; without data, everything."""
        ready = self._take(data) if data else self._let_go()
        if ready:
            yield from super().feed(ready)
        if not data:
            yield from super().feed(data)

    def tick(self) -> Iterable[Message]:
        """Gives up waiting for the rest of a sequence after a while."""
        if self._held and not self._pasting and Message().time - self._held_at >= _LONGEST_WAIT:
            yield from super().feed(self._let_go())
        yield from super().tick()

    def _let_go(self) -> str:
        held, self._held = self._held, ""
        return held

    def _take(self, data: str) -> str:
        """Returns what can be parsed now, and keeps the beginning of a sequence at the end."""
        return "".join(self._split(self._let_go() + data))

    def _split(self, text: str) -> Iterator[str]:
        while True:
            mark = _PASTE_END if self._pasting else _PASTE
            before, found, after = text.partition(mark)
            if not found:
                break
            yield self._show(before) + mark
            self._pasting, text = not self._pasting, after
        place = self._find_unfinished(text)
        self._held, self._held_at = text[place:], Message().time
        yield self._show(text[:place])

    def _find_unfinished(self, text: str) -> int:
        if self._pasting:  # the mark at its end, or a part of the text that looks like it
            ends = (len(text) - size for size in range(len(_PASTE_END) - 1, 0, -1) if text.endswith(_PASTE_END[:size]))
            return next(ends, len(text))
        found = _UNFINISHED.search(text)
        return found.start() if found is not None else len(text)

    def _show(self, text: str) -> str:
        return text.replace(_ESCAPE, _SHOWN_ESCAPE) if self._pasting else text


def clean_paste(text: str) -> str:
    """Pasted text as a log entry can hold it: tabs are blanks, other control characters are shown, not kept."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return "\n".join(line.expandtabs(_TAB_COLUMNS).translate(_CONTROLS) for line in lines)
