"""Finds the file a document means: its paths start from the root, from the document, or from between."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from posixpath import normpath


@dataclass(frozen=True, slots=True)
class Found:
    """Where a path leads; nothing when it leads nowhere, several places when it could be any of them."""

    path: str | None
    candidates: tuple[str, ...] = ()


@dataclass(slots=True)
class PathFinder:
    """An index over the paths of the repository."""

    paths: frozenset[str]
    folders: frozenset[str]
    _by_name: dict[str, list[str]] = field(default_factory=dict)

    @classmethod
    def over(cls, paths: Iterable[str]) -> PathFinder:
        files = frozenset(paths)
        folders = {""}
        by_name: dict[str, list[str]] = defaultdict(list)
        for path in sorted(files):
            by_name[path.rpartition("/")[2]].append(path)
            parent = path.rpartition("/")[0]
            while parent not in folders:
                folders.add(parent)
                parent = parent.rpartition("/")[0]
        return cls(files, frozenset(folders), by_name)

    def find(self, wanted: str, document: str) -> Found:
        """Exact from the root, then from the document's folder upwards, then by the longest matching tail."""
        wanted = normpath(wanted.strip()) if wanted.strip() else ""
        if not wanted or wanted.startswith("../"):
            return Found(None)
        for base in _ancestors(document):
            candidate = f"{base}/{wanted}" if base else wanted
            if candidate in self.paths or candidate in self.folders:
                return Found(candidate)
        return self._find_by_tail(wanted)

    def _find_by_tail(self, wanted: str) -> Found:
        """A unique file that ends with the wanted path, or that the wanted path ends with (a prefix left out here)."""
        same_name = self._by_name.get(wanted.rpartition("/")[2], [])
        longer = [path for path in same_name if path.endswith("/" + wanted)]
        shorter = [path for path in same_name if "/" in path and wanted.endswith("/" + path)]
        matches = tuple(longer or shorter)
        return Found(matches[0] if len(matches) == 1 else None, matches)


def _ancestors(document: str) -> list[str]:
    """The root first, then the document's folder and the folders above it."""
    folders = [""]
    folder = document.rpartition("/")[0]
    while folder:
        folders.append(folder)
        folder = folder.rpartition("/")[0]
    return folders
