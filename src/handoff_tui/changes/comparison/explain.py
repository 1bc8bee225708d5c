"""Whether and where a handoff says that something was removed, skipped or lowered. A mere mention explains nothing."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final

from handoff_tui.changes.comparison.drop_words import Drop
from handoff_tui.changes.comparison.statements import NamedDrop, find_named_drops, find_named_drops_in_line
from handoff_tui.core.place import Place
from handoff_tui.handoffs.claim import ClaimKind
from handoff_tui.handoffs.handoff import Handoff

_DISTINCTIVE: Final = re.compile(r"[0-9_./:#@-]|[a-z][A-Z]")
_REMOVED: Final = frozenset({Drop.REMOVED})


@dataclass(frozen=True, slots=True)
class Explanations:
    """Names that the handoffs speak of as dropped, each with the first place that does."""

    named: dict[Drop, dict[str, Place]] = field(default_factory=lambda: {drop: {} for drop in Drop})
    marked: dict[Drop, dict[str, Place]] = field(default_factory=lambda: {drop: {} for drop in Drop})
    """Names in code marks or quotes, or at the head of a list item: only there can a plain word be a name."""

    def find(self, drop: Drop, names: Iterable[str]) -> Place | None:
        """The place that speaks of one of these names as dropped."""
        named, marked = self.named[drop], self.marked[drop]
        for name in names:
            place = marked.get(name)
            if place is None and _DISTINCTIVE.search(name):
                place = named.get(name)
            if place is not None:
                return place
        return None

    def find_word(self, drop: Drop, words: Iterable[str]) -> Place | None:
        """The same for a plain word that names one thing only, such as `coverage`."""
        return next((place for word in words if (place := self.named[drop].get(word)) is not None), None)


def build_explanations(handoffs: Iterable[Handoff], texts: Iterable[tuple[str, str]]) -> Explanations:
    """From the claims and messages of handoffs, and from documents given as path and text."""
    explanations = Explanations()
    for handoff in handoffs:
        for place, drop in _list_claimed(handoff):
            _add(explanations, place, drop)
    for path, text in texts:
        for drop in find_named_drops(text):
            _add(explanations, Place(path=path, line=drop.line), drop)
    return explanations


def _list_claimed(handoff: Handoff) -> Iterator[tuple[Place, NamedDrop]]:
    for claim in handoff.claims:
        if claim.kind is ClaimKind.FILE_DELETED and claim.subject:
            yield claim.where, NamedDrop(claim.subject, _REMOVED, 1, marked=True)
        if claim.kind in {ClaimKind.FILE_DELETED, ClaimKind.FILE_MODIFIED}:
            yield from ((claim.where, drop) for drop in find_named_drops_in_line(claim.text))
    for package in handoff.packages:
        yield from ((package.where, NamedDrop(name, _REMOVED, 1, marked=True)) for name in package.supersedes)
    if handoff.message and handoff.documents:
        place = Place(path=handoff.documents[0].path)
        yield from ((place, drop) for drop in find_named_drops(handoff.message))


def _add(explanations: Explanations, place: Place, found: NamedDrop) -> None:
    for drop in found.drops:
        explanations.named[drop].setdefault(found.name, place)
        if found.marked:
            explanations.marked[drop].setdefault(found.name, place)
