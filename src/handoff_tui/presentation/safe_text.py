"""Text that an agent wrote, made safe to show: what you see is the bytes.

Control characters, bidirectional overrides, zero-width and tag characters are shown, never obeyed: an escape
sequence in a file name could otherwise repaint `FAIL` as `PASS`.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

_SUSPECT: Final = re.compile(
    "[\x00-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f"
    "\u3164\ud800-\udfff\ufe00-\ufe0d\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff\U000e0000-\U000e0fff]"
)
_ELLIPSIS: Final = "…"


def render_safe(text: str, limit: int | None = None) -> str:
    """One line of text with everything invisible made visible, shortened to a number of characters."""
    line = _SUSPECT.sub(_show, text)
    if limit is not None and len(line) > limit:
        return line[: limit - 1] + _ELLIPSIS
    return line


def render_safe_lines(text: str) -> list[str]:
    """Several lines of text, each made safe."""
    return [render_safe(line) for line in text.split("\n")]


def has_hidden_characters(text: str) -> bool:
    """Whether a text holds characters that would not show, tabs and line ends apart."""
    return any(match.group() not in "\t\n" for match in _SUSPECT.finditer(text))


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
        return f"\\x{code - 0xDC00:02x}" if 0xDC80 <= code <= 0xDCFF else "\ufffd"  # noqa: PLR2004 - an undecodable byte
    return f"⟨U+{code:04X}⟩"
