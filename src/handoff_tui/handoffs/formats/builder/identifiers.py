"""Ids of builder handoffs: one canonical form for the many ways in which they are written."""

from __future__ import annotations

import re
from typing import Final

from handoff_tui.core.lazy_pattern import compile_later

_KIND: Final = r"HANDOFF|FOLLOW[ _-]?UP|CLEANUP|HOUSEKEEPING|BUGFIX"
_NUMBER: Final = r"[0-9]{1,4}(?:[._][0-9]{1,2}[A-Za-z]?|[A-Za-z])?"
_WHOLE: Final = compile_later(
    rf"(?:BUILDER[ _-])?(?P<kind>{_KIND}|H)[ _#-]{{1,3}}(?P<number>{_NUMBER})$|(?P<bare>{_NUMBER})$", re.IGNORECASE
)
_WHOLE_BUGFIX: Final = compile_later(
    r"(?:BUILDER[ _-])?BUGFIX[ _#-]{1,3}(?P<slug>[A-Za-z0-9][A-Za-z0-9._-]{0,80})$", re.IGNORECASE
)
_IN_PROSE: Final = compile_later(
    rf"(?<![A-Za-z0-9])(?:(?P<kind>(?i:{_KIND}))[ _#-]{{1,3}}|(?<![-_])H-)(?P<number>{_NUMBER})(?![A-Za-z0-9])"
    r"|(?<![A-Za-z0-9])BUGFIX[_-](?P<slug>[A-Za-z0-9]+(?:[_-][A-Za-z0-9]+)*)"
    r"|(?<![A-Za-z0-9])(?P<framework>FMWK-[0-9]{3}(?:_[A-Za-z0-9]+)*)"
)
_RANGE: Final = compile_later(r"\s*(?:through|thru|to|\u2013|\u2014|-|\.\.\.?|…)\s*", re.IGNORECASE)
_PLAIN: Final = compile_later(r"H-([0-9]{1,4})$")
_FRAMEWORK: Final = compile_later(r"FMWK-[0-9]{1,4}")
_PACKAGE: Final = compile_later(r"(?<![A-Za-z0-9-])PKG-[A-Z0-9]+(?:-[A-Z0-9]+)*(?![A-Za-z0-9])")
_TITLE_WORD: Final = compile_later(r"(?:results?|agent prompt|builder|spec(?:ification)?)(?:[\W_]+|$)", re.IGNORECASE)
_TITLE_ID: Final = compile_later(rf"(?:{_KIND}|H)[ _#-]{{1,3}}{_NUMBER}(?:[\W_]+|$)", re.IGNORECASE)
_LONGEST_RANGE = 50


def parse_id(text: str, *, bare: bool = False) -> str | None:
    """The canonical form of a text that is an id as a whole; `bare` also takes a number without its kind."""
    match = _WHOLE.match(text.strip())
    if match and match.group("kind"):
        return build_canonical_id(match.group("kind"), match.group("number"))
    if match and bare:
        return build_canonical_id("H", match.group("bare"))
    bugfix = _WHOLE_BUGFIX.match(text.strip())
    return build_canonical_id("BUGFIX", bugfix.group("slug")) if bugfix else None


def build_canonical_id(kind: str, number: str) -> str:
    """`FOLLOWUP` and `18b` → `H-18B`; `HANDOFF` and `29_1A` → `H-29.1A`; `CLEANUP` and `2` → `CLEANUP-2`."""
    word = re.sub(r"[ _-]", "", kind).upper()
    prefix = "H" if word in {"H", "HANDOFF", "FOLLOWUP"} else word
    separator = "." if number[:1].isdigit() else "-"
    return f"{prefix}-{re.sub(r'^0+(?=[0-9])', '', number).upper().replace('_', separator)}"


def find_ids(text: str) -> list[str]:
    """The ids that a line names, canonical, in order, each once; `H-13 through H-15` names three."""
    found: dict[str, None] = {}
    before: re.Match[str] | None = None
    for match in _IN_PROSE.finditer(text):
        handoff = _build_match_id(match)
        if before is not None and _RANGE.fullmatch(text, before.end(), match.start()):
            found.update(dict.fromkeys(_expand_range(_build_match_id(before), handoff)))
        found[handoff] = None
        before = match
    return list(found)


def find_packages(text: str) -> list[str]:
    """The package ids that a text names, in order, each once."""
    return list(dict.fromkeys(_PACKAGE.findall(text)))


def strip_id(title: str) -> str:
    """A title without the words for its kind and its id: `Results: H-18 — Wiring` → `Wiring`."""
    rest = title.strip()
    for pattern in (_TITLE_WORD, _TITLE_WORD, _TITLE_ID):
        rest = pattern.sub("", rest, count=1) if pattern.match(rest) else rest
    return rest.strip() or title.strip()


def is_framework(name: str) -> bool:
    return _FRAMEWORK.match(name) is not None


def is_same_framework(one: str, other: str) -> bool:
    """Whether two names begin with the same framework number: `FMWK-001` and `FMWK-001_Ledger`."""
    first, second = _FRAMEWORK.match(one), _FRAMEWORK.match(other)
    return first is not None and second is not None and first.group() == second.group()


def _build_match_id(match: re.Match[str]) -> str:
    if match.group("framework"):
        return match.group("framework")
    if match.group("slug"):
        return build_canonical_id("BUGFIX", match.group("slug"))
    return build_canonical_id(match.group("kind") or "H", match.group("number"))


def _expand_range(first: str, last: str) -> list[str]:
    start, end = _PLAIN.match(first), _PLAIN.match(last)
    if start is None or end is None:
        return []
    low, high = int(start.group(1)), int(end.group(1))
    return [f"H-{number}" for number in range(low + 1, high)] if low < high <= low + _LONGEST_RANGE else []
