"""Words that say something was removed, skipped or lowered; and words that take it back."""

from __future__ import annotations

import re
from bisect import bisect_right
from enum import StrEnum
from typing import Final


class Drop(StrEnum):
    """How something can be less than it was."""

    REMOVED = "removed"
    SKIPPED = "skipped"
    LOWERED = "lowered"


_NO_LONGER_RUNS: Final = r"disabl(?:e|ed|es|ing)|deselect(?:ed|ing)?|exclud(?:e|ed|es|ing)|ignor(?:e|ed|es|ing)"
_WORDS: Final = {
    Drop.REMOVED: (
        r"remov(?:e|ed|es|ing|al)|delet(?:e|ed|es|ing|ion)|drop(?:s|ped|ping)?|retir(?:e|ed|es|ing)|eliminat(?:e|ed|ing)"
        r"|replac(?:e|ed|es|ing)|supersed(?:e|ed|es|ing)|renam(?:e|ed|es|ing)|mov(?:e|ed|es|ing)|merg(?:e|ed|es|ing)"
        r"|consolidat(?:e|ed|ing)|fold(?:ed|ing)?|uninstall(?:ed|ing)?|discard(?:ed|ing)?|prun(?:e|ed|ing)|purg(?:e|ed|ing)"
        r"|no longer (?:runs?|exists?|there|needed|used|present|part|included|collected|required|installed|shipped)"
        r"|gone|taken out|comment(?:ed|ing)? out|" + _NO_LONGER_RUNS
    ),
    Drop.SKIPPED: (
        r"skip(?:s|ped|ping)?|xfail(?:s|ed)?|quarantin(?:e|ed|es|ing)|deactivat(?:e|ed|ing)|mut(?:e|ed|ing)|"
        + _NO_LONGER_RUNS
    ),
    Drop.LOWERED: (
        r"lower(?:s|ed|ing)?|drop(?:s|ped|ping)?|decreas(?:e|ed|es|ing)|reduc(?:e|ed|es|ing)|fell|falls?|fallen|down"
        r"|declin(?:e|ed|es|ing)|less"
    ),
}
# a word that is part of a name or a path says nothing
_WORD: Final = {
    drop: re.compile(rf"(?<![\w./:-])(?:{words})(?![\w/-]|[.:][\w:])", re.IGNORECASE) for drop, words in _WORDS.items()
}
_ANY_WORD: Final = re.compile("|".join(pattern.pattern for pattern in _WORD.values()), re.IGNORECASE)
_NEGATION: Final = re.compile(
    r"\b(?:no(?! longer)|not|never|without|nor|cannot|would|could|might|may|0)\b|n['’]t\b", re.IGNORECASE
)
_NONE: Final = re.compile(r"\b(?:none|neither|nothing|nobody)\b", re.IGNORECASE)
_CLAUSE_END: Final = re.compile(r"[,:;.!?](?=\s|$)|[()|–—]| -{1,2} ")
_BRACKETS: Final = re.compile(r"\([^()]*\)|[^\w\s'’-]")
_LONGEST_HEADING: Final = 6
_CELL_BEGINNING: Final = 2
_OPPOSITE: Final = re.compile(
    r"\b(?:add(?:ed|s|ing)?|new|creat(?:ed|ing)|kept|fix(?:ed|es)|modified|changed|updated|introduced|pass(?:ed|es|ing)?)\b",
    re.IGNORECASE,
)
_KEPT: Final = re.compile(
    r"\b(?:still|kept|keeps?|remains?|remained|unchanged|restored|re-?added|retained|intact|pass(?:es|ed|ing)?|green)\b"
    r"|^\W*not\b",
    re.IGNORECASE,
)


def find_drops(words: str) -> frozenset[Drop]:
    """The drops that a piece of a sentence tells: «test_a was removed», but not «none of them was removed»."""
    if _ANY_WORD.search(words) is None:
        return frozenset()
    ends = [match.end() for match in _CLAUSE_END.finditer(words)]
    return frozenset(drop for drop, pattern in _WORD.items() if _tells(words, pattern, ends))


def find_heading_drops(words: str) -> frozenset[Drop]:
    """The drops that a heading tells of all that is listed under it: «Removed tests», «Files deleted (3)».

    A heading that is a sentence, or that tells of other things as well, tells of no list.
    """
    plain = _BRACKETS.sub(" ", words).split()
    if len(plain) > _LONGEST_HEADING or has_opposite(words):
        return frozenset()
    return find_drops(" ".join(plain[:1])) | find_drops(" ".join(plain[-1:]))


def find_introduction_drops(words: str) -> frozenset[Drop]:
    """The drops that a line tells of the list below it: «The following were removed, since nobody used them:»."""
    return frozenset() if has_opposite(words) else find_drops(words)


def find_row_drops(words: str) -> frozenset[Drop]:
    """The drops that a row of a table tells: a cell must begin with the word, «supersedes» deep in one says nothing."""
    cells = (cell.split() for cell in words.split("|"))
    return frozenset().union(*(find_drops(" ".join(cell[:_CELL_BEGINNING])) for cell in cells))


def has_opposite(words: str) -> bool:
    """Whether a heading begins something else: «Added» under «Removed and added»."""
    return _OPPOSITE.search(words) is not None


def is_kept(clause: str) -> bool:
    """Whether a clause says that what it names is still there."""
    return _KEPT.search(clause) is not None


def split_clauses(words: str) -> list[tuple[int, int]]:
    """Where each clause begins and ends."""
    clauses: list[tuple[int, int]] = []
    start = 0
    for match in _CLAUSE_END.finditer(words):
        clauses.append((start, match.start()))
        start = match.end()
    return [*clauses, (start, len(words))]


def _tells(words: str, pattern: re.Pattern[str], ends: list[int]) -> bool:
    none = _NONE.search(words)
    stop = len(words) if none is None else none.start()
    for match in pattern.finditer(words, 0, stop):
        earlier = bisect_right(ends, match.start())
        if not _NEGATION.search(words, ends[earlier - 1] if earlier else 0, match.start()):
            return True
    return False
