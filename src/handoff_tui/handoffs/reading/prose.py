"""What sentences claim about the work, for the formats that leave it to prose."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.core.place import Place
from handoff_tui.core.tasks import TestCounts
from handoff_tui.handoffs.claim import Claim
from handoff_tui.handoffs.reading.claim_words import claim_counts, parse_counts
from handoff_tui.handoffs.reading.markdown import Item, Section, TextLine, plain

_SENTENCE_END: Final = compile_later(r"(?<=[.;!?])\s+|\n+")
_NOTHING: Final = compile_later(
    r"^\W*(?:none|nothing|no|n/?a|nil|empty|-+)\b(?:\s+(?:known|open|current|active|outstanding|remaining|at this time|"
    r"right now|currently|blockers?|issues?|yet))*\W*$",
    re.IGNORECASE,
)
_BEGINS_WITH_NONE: Final = compile_later(
    r"^\W*(?:none|no (?:known |open |current |active )?blockers?)\b", re.IGNORECASE
)


def split_sentences(text: str) -> list[str]:
    return [sentence for sentence in _SENTENCE_END.split(text) if sentence.strip()]


def find_counts(text: str) -> tuple[TestCounts, str] | None:
    """The first sentence with test numbers. Numbers of different sentences belong to different runs."""
    for sentence in split_sentences(text):
        counts = parse_counts(sentence)
        if counts is not None:
            return counts, sentence
    return None


def claim_first_counts(lines: Iterable[TextLine], path: str) -> tuple[TestCounts | None, list[Claim]]:
    """The first test numbers in some lines, and their claims about the whole suite."""
    for line in lines:
        found = None if line.code else find_counts(line.text)
        if found is not None:
            counts, sentence = found
            return counts, claim_counts(counts, "suite", Place(path=path, line=line.number), sentence)
    return None, []


def says_nothing(text: str) -> bool:
    """Whether a text only says that there is nothing: `None`, `N/A`, `No known blockers.`."""
    words = plain(text)
    return not words or bool(_NOTHING.match(words)) or bool(_BEGINS_WITH_NONE.match(words))


def top_items(section: Section) -> list[Item]:
    """The items of the outermost list."""
    return [item for item in section.items() if item.depth == 1]


def one_line(text: str) -> str:
    return " ".join(plain(text).split())


def section_text(section: Section) -> str:
    """The words of a section without its code."""
    return "\n".join(line.text for line in section.lines() if not line.code).strip()
