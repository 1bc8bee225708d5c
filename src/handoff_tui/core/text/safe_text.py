"""Makes text that an agent wrote safe to show: what you see is the bytes.

Control characters, bidirectional overrides, zero-width and tag characters are shown, never sent: an escape
sequence in a file name could otherwise repaint `FAIL` as `PASS`.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from handoff_tui.core.lazy_pattern import compile_later

HIDDEN: Final = compile_later(
    "[\x00-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f"
    "\u2800\u3164\ud800-\udfff\ufe00-\ufe0d\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff"
    "\U0001d159\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
"""Controls (tab and line ends among them), bidirectional overrides, zero-width, tag, filler and blank-looking
characters, and what stands for bytes that are no text.
"""


_ELLIPSIS: Final = "…"
_FIRST_ESCAPED, _LAST_ESCAPED = 0xDC80, 0xDCFF
"""The placeholder for a byte that isn't UTF-8."""


def render_safe(text: str, limit: int | None = None) -> str:
    """Returns one line with everything invisible made visible, shortened to a number of characters."""
    line = HIDDEN.sub(_show, text)
    if limit is not None and len(line) > limit:
        return line[: limit - 1] + _ELLIPSIS
    return line


def render_safe_lines(text: str) -> list[str]:
    """Returns several lines, each made safe."""
    return [render_safe(line) for line in text.split("\n")]


def has_hidden_characters(text: str) -> bool:
    """Tells whether a text has invisible characters, other than tabs and line ends."""
    return any(match.group() not in "\t\n" for match in HIDDEN.finditer(text))


def split_hidden(text: str) -> list[tuple[str, bool]]:
    """Splits a line into safe pieces, each with whether it stands for an invisible character."""
    pieces: list[tuple[str, bool]] = []
    end = 0
    for match in HIDDEN.finditer(text):
        if match.group() not in "\t\n":
            pieces += [(render_safe(text[end : match.start()]), False), (_show(match), True)]
            end = match.end()
    pieces.append((render_safe(text[end:]), False))
    return [piece for piece in pieces if piece[0]]


def find_hidden(text: str) -> tuple[str, ...]:
    """Returns the invisible code points of a line, each once: `U+202E`. Ignores tabs and line ends."""
    found = (match.group() for match in HIDDEN.finditer(text))
    return tuple(dict.fromkeys(_name(character) for character in found if character not in "\t\n"))


def _name(character: str) -> str:
    code = ord(character)
    if _FIRST_ESCAPED <= code <= _LAST_ESCAPED:
        return f"byte {code - 0xDC00:02x}"
    return f"U+{code:04X}"


def _show(match: re.Match[str]) -> str:
    character = match.group()
    code = ord(character)
    if character == "\t":
        return "    "
    if character == "\n":
        return " "
    if code < 0x20:  # noqa: PLR2004 - the C0 controls have pictures at U+2400
        return chr(0x2400 + code)
    if code == 0x7F:  # noqa: PLR2004 - DEL
        return "\u2421"
    if unicodedata.category(character) == "Cs":
        return f"\\x{code - 0xDC00:02x}" if _FIRST_ESCAPED <= code <= _LAST_ESCAPED else "\ufffd"
    return f"⟨U+{code:04X}⟩"
