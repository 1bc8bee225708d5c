"""A shelf in memory, for tests of dialects."""

from __future__ import annotations

from dataclasses import dataclass, field

from handoff_tui.config.settings.root import Settings
from handoff_tui.core.place import Problem
from handoff_tui.handoffs.reading.format import POSSIBLE, CommitFact, Dialect, Reading, RefFact, Source


@dataclass
class MemoryShelf:
    """Files given as text; git facts given as they are."""

    files: dict[str, str]
    settings: Settings = field(default_factory=Settings)
    git_commits: tuple[CommitFact, ...] = ()
    git_refs: tuple[RefFact, ...] = ()
    git_notes: dict[str, dict[str, str]] = field(default_factory=dict)
    _sources: dict[str, Source] = field(default_factory=dict)

    @property
    def paths(self) -> tuple[str, ...]:
        return tuple(sorted(self.files))

    def source(self, path: str) -> Source:
        if path not in self._sources:
            self._sources[path] = Source.of_text(path, self.files[path])
        return self._sources[path]

    def size(self, path: str) -> int | None:
        return len(self.files[path].encode()) if path in self.files else None

    def commits(self) -> tuple[CommitFact, ...]:
        return self.git_commits

    def refs(self) -> tuple[RefFact, ...]:
        return self.git_refs

    def notes(self, ref: str) -> dict[str, Source]:
        found: dict[str, Source] = {}
        for commit, text in self.git_notes.get(ref, {}).items():
            path = f"notes:{ref}/{commit}"
            found[commit] = self._sources.setdefault(path, Source.of_text(path, text))
        return found

    def problems(self) -> list[Problem]:
        """The problems of everything that was read so far."""
        return [problem for path in sorted(self._sources) for problem in self._sources[path].problems()]


def read_with(dialect: Dialect, shelf: MemoryShelf) -> Reading:
    """What one dialect makes of a shelf, as if it were alone."""
    owned = [
        source
        for path in shelf.paths
        if dialect.may_own(path) and dialect.recognise(source := shelf.source(path)) >= POSSIBLE
    ]
    return dialect.read(owned, shelf)
