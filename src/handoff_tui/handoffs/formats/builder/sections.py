"""Sections of a standard, found under the many headings that people give them."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.handoffs.grammar.tokens import clean_path
from handoff_tui.handoffs.reading.markdown import Outline, Row, Section, Table, plain

_WORD: Final = compile_later(r"[a-z0-9]+")

_OTHER_HEADINGS: Final = {
    "archives built": ("archives", "archive built", "archive rebuilt"),
    "files created": ("files delivered", "files added", "new files", "files created"),
    "files modified": ("files changed", "modified files", "files edited"),
    "full regression test": ("full regression", "regression"),
    "clean room verification": ("clean room",),
    "baseline snapshot": ("baseline",),
    "issues encountered": ("issues",),
    "notes for reviewer": ("notes", "reviewer notes"),
    "test results": ("test result", "tests this package"),
    "architecture design": ("architecture", "design architecture"),
    "files summary": ("file summary",),
    "end to end verification": ("e2e verification",),
}
"""Headings seen in practice that mean a section of the standard, by their beginnings."""


@lru_cache(maxsize=4096)
def normalise(heading: str) -> str:
    """Lower case, words only: `Full Regression — ALL` and `full regression -- all` are the same."""
    return " ".join(_WORD.findall(heading.lower()))


@lru_cache(maxsize=4096)  # documents of one standard ask for the same few headings again and again
def is_heading_of(heading: str, wanted: str) -> bool:
    """Whether a heading opens the wanted section: it begins with that name, or with another name of it."""
    words, name = normalise(heading), normalise(wanted)
    return bool(words) and any(_begins(words, start) for start in (name, *_OTHER_HEADINGS.get(name, ())))


def find_section(outline: Outline, wanted: str) -> Section | None:
    return next((section for section in headed(outline) if is_heading_of(section.name, wanted)), None)


def headed(outline: Outline) -> list[Section]:
    """The sections below the title. A document whose first heading is not of the first level has no title."""
    sections = [section for section in outline.sections if section.level]
    return sections[1:] if sections and sections[0].level == 1 else sections


def preamble(outline: Outline) -> list[Section]:
    """What comes before the first section: under the title, or before it."""
    found: list[Section] = []
    for section in outline.sections:
        if section.level > 1 or (section.level == 1 and any(earlier.level for earlier in found)):
            break
        found.append(section)
    return found


def missing_sections(outline: Outline, standard: Iterable[str]) -> tuple[str, ...]:
    return _find_missing(tuple([section.name for section in headed(outline)]), tuple(standard))


@lru_cache(maxsize=256)  # whoever recognises a document asks for the same as whoever reads it
def _find_missing(names: tuple[str, ...], standard: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(wanted for wanted in standard if not any(is_heading_of(name, wanted) for name in names))


def misplaced_sections(outline: Outline, standard: tuple[str, ...]) -> tuple[str, ...]:
    """The sections that come after one that should follow them."""
    seen: set[int] = set()
    misplaced: list[str] = []
    for section in headed(outline):
        position = next((n for n, wanted in enumerate(standard) if is_heading_of(section.name, wanted)), None)
        if position is None or position in seen:
            continue
        if any(other > position for other in seen):
            misplaced.append(standard[position])
        seen.add(position)
    return tuple(misplaced)


def body(outline: Outline, section: Section, standard: Iterable[str]) -> list[Section]:
    """A section with its sub-sections, but without those that are sections of the standard themselves."""
    names = [wanted for wanted in standard if not is_heading_of(section.name, wanted)]
    kept: list[Section] = []
    left_out: int | None = None
    for part in outline.below(section):
        if left_out is not None and part.level > left_out:
            continue
        left_out = None
        if part is not section and any(is_heading_of(part.name, wanted) for wanted in names):
            left_out = part.level
            continue
        kept.append(part)
    return kept


def join_folder(table: Table, row: Row, path: str | None) -> str | None:
    """The path of a row; a bare file name lies in the folder that another column names."""
    if path is None or "/" in path:
        return path
    folder = plain(table.cell(row, "location", "folder", "directory")).strip().rstrip("/")
    return (clean_path(f"{folder}/") or "") + path


def _begins(words: str, start: str) -> bool:
    return words == start or words.startswith(start + " ")
