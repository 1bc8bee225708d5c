"""What one reading of a repository's handoffs leaves for the next: after a save only the dialect reads that owns it.

A dialect reads only through its shelf. What it asked there is noted; when all of that is as it was, so is its reading.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Protocol

from handoff_tui.config.settings.root import Settings
from handoff_tui.handoffs.reading.format import CommitFact, Dialect, Reading, RefFact, Shelf, Source


class RenewingShelf(Shelf, Protocol):
    """A shelf that is read more than once."""

    def renew(self, path: str) -> None:
        """The file as if nobody had asked about it yet."""


class _NotingShelf:
    """Notes what one dialect asks."""

    def __init__(self, shelf: Shelf) -> None:
        self._shelf = shelf
        self.sources: dict[str, Source] = {}
        self.sizes: dict[str, int | None] = {}

    @property
    def settings(self) -> Settings:
        return self._shelf.settings

    @property
    def paths(self) -> tuple[str, ...]:
        return self._shelf.paths

    def source(self, path: str) -> Source:
        self.sources[path] = self._shelf.source(path)
        return self.sources[path]

    def size(self, path: str) -> int | None:
        self.sizes[path] = self._shelf.size(path)
        return self.sizes[path]

    def commits(self) -> tuple[CommitFact, ...]:
        return self._shelf.commits()

    def refs(self) -> tuple[RefFact, ...]:
        return self._shelf.refs()

    def notes(self, ref: str) -> dict[str, Source]:
        return self._shelf.notes(ref)


@dataclass(slots=True)
class _Known:
    """A dialect's last reading, and all that it rests on."""

    reading: Reading
    paths: tuple[str, ...]
    owned: list[Source]
    sources: dict[str, Source]
    sizes: dict[str, int | None]

    def holds(self, shelf: Shelf) -> bool:
        if self.paths is not shelf.paths or any(shelf.size(path) != size for path, size in self.sizes.items()):
            return False
        return all(shelf.source(path) is source for path, source in self.list_touched())

    def list_touched(self) -> Iterable[tuple[str, Source]]:
        return (*((source.path, source) for source in self.owned), *self.sources.items())


@dataclass(slots=True)
class ReadingMemory:
    """Of one repository, while neither its history nor the settings change."""

    interested: dict[str, list[Dialect]] = field(default_factory=dict)
    """The dialects that may own a path, which they judge by the path alone."""
    _known: dict[str, _Known] = field(default_factory=dict)
    _owners: dict[str, tuple[Source, str | None]] = field(default_factory=dict)

    def find_stale(self, shelf: RenewingShelf, dialects: Iterable[Dialect]) -> set[str]:
        """The dialects that must read again; what they had to do with is renewed."""
        stale = {one.id for one in dialects if one.id not in self._known or not self._known[one.id].holds(shelf)}
        return self.renew(shelf, stale)

    def find_outgrown(self, owned: dict[str, list[Source]], stale: set[str]) -> set[str]:
        """Those of the others that own other files than they did."""
        return {name for name, known in self._known.items() if name not in stale and owned[name] != known.owned}

    def renew(self, shelf: RenewingShelf, stale: set[str]) -> set[str]:
        """All that have to do with a file of these, too: what is reported of a file is reported by all or by none."""
        touched: set[str] = set()
        grown = set(stale)
        while True:
            touched |= {path for name in grown if name in self._known for path, _ in self._known[name].list_touched()}
            more = {
                name
                for name, known in self._known.items()
                if name not in grown and any(path in touched for path, _ in known.list_touched())
            }
            if not more:
                break
            grown |= more
        old = {path: source for known in self._known.values() for path, source in known.list_touched()}
        for path in touched:
            if shelf.source(path) is old[path]:
                shelf.renew(path)
        return grown

    def find_owner(self, source: Source, find: Callable[[Source], Dialect | None]) -> str | None:
        """The id of the dialect that owns a file; a file that is as it was is not asked about again."""
        known = self._owners.get(source.path)
        if known is None or known[0] is not source:
            owner = find(source)
            known = self._owners[source.path] = (source, None if owner is None else owner.id)
        return known[1]

    def read(self, dialect: Dialect, owned: list[Source], shelf: Shelf, *, again: bool) -> Reading:
        """What a dialect reads, or has read."""
        if again or dialect.id not in self._known:
            noting = _NotingShelf(shelf)
            reading = dialect.read(owned, noting)
            self._known[dialect.id] = _Known(reading, shelf.paths, list(owned), noting.sources, noting.sizes)
        return self._known[dialect.id].reading
