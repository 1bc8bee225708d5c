"""Makes text that an agent wrote safe to show: what you see is the bytes.

Control characters, bidirectional overrides, zero-width and tag characters are shown, never sent: an escape
sequence in a file name could otherwise repaint `FAIL` as `PASS`.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import Final

from handoff_tui.core.lazy_pattern import compile_later

HIDDEN: Final = compile_later(
    "[\x00-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f"
    "\u2800\u3164\ud800-\udfff\ufe00-\ufe0d\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff"
    "\U0001d159\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
"""Controls (tab and line ends among them), bidirectional overrides, zero-width, tag, filler and blank-looking
characters, and what stands for bytes that aren't text.
"""


_ELLIPSIS: Final = "…"
_FIRST_ESCAPED, _LAST_ESCAPED = 0xDC80, 0xDCFF
"""The placeholder for a byte that isn't UTF-8."""
_TWINS: Final = str.maketrans(
    "\u0410\u0412\u0421\u0415\u041d\u0406\u0408\u041a\u041c\u041e\u0420\u0405\u0422\u0425\u0423\u04ae"
    "\u050c\u051a\u051c\u0430\u0441\u0435\u04bb\u0456\u0458\u04cf\u043e\u0440\u0455\u0445\u0443\u0501"
    "\u051b\u051d\u0433\u043f\u0442"
    "\u0391\u0392\u0395\u0396\u0397\u0399\u039a\u039c\u039d\u039f\u03a1\u03a4\u03a7\u03a5\u03b1\u03b9"
    "\u03bd\u03bf\u03c1\u03c5\u03f2\u03f3\u03ba\u03c4"
    "\u0131\u0251\u0261\u0269\u2113\u2010\u2011\u2012\u2013\u2014\u2212\u2024",
    "ABCEHIJKMOPSTXYYGQWacehijlopsxydqwrntABEZHIKMNOPTXYaivopucjktiagil------.",
)
"""Cyrillic and Greek letters, and a few others, that look like a letter or hyphen of ASCII."""
_ALIKE_IN_ASCII: Final = str.maketrans("01|", "oll")
_SEPARATORS: Final = compile_later(r"[\W_]+")


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


def fold_lookalikes(text: str) -> str:
    """Returns the ASCII name that a text looks like; the text itself if it looks like none."""
    if text.isascii() and not HIDDEN.search(text):
        return text
    folded = HIDDEN.sub("", unicodedata.normalize("NFKC", HIDDEN.sub("", text).translate(_TWINS)).translate(_TWINS))
    return folded if folded.isascii() and folded else text


def is_disguised(text: str) -> bool:
    """Whether a name has hidden characters, or letters that make it look like another name."""
    return fold_lookalikes(text) != text or HIDDEN.search(text) is not None


@lru_cache(maxsize=4096)
def passes_for(name: str, known: str) -> bool:
    """Whether a name could be taken for a known one: it looks the same, or is the known one and then more."""
    first, second = _build_skeleton(name), _build_skeleton(known)
    words = _SEPARATORS.split(second)
    return (
        _SEPARATORS.sub("", first) == _SEPARATORS.sub("", second)
        or _SEPARATORS.split(first)[: len(words)] == words
        or _fits_with_gaps(first, second)
    )


def _build_skeleton(name: str) -> str:
    return fold_lookalikes(name).casefold().translate(_ALIKE_IN_ASCII)


def _fits_with_gaps(name: str, known: str) -> bool:
    """Whether a name is the known one with letters replaced: the log writes a hyphen for what it cannot spell."""
    parts = name.strip("-").split("-")
    return len(parts) > 1 and re.fullmatch(".".join(map(re.escape, parts)), known) is not None
