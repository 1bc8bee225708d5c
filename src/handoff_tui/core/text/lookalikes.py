"""Names that look like other names: hidden characters and letters of other scripts that a reader cannot tell apart."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import Final

from handoff_tui.core.text.safe_text import HIDDEN

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
_SEPARATORS: Final = re.compile(r"[\W_]+")


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
