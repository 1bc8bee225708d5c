"""Finds the file a document means: its paths start from the root, from the document, or from between."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable
from posixpath import normpath

from handoff_tui.core.classes import NamedTuple, dataclass, field
from handoff_tui.git.work_tree.listing import sort_paths

_MOST_SEARCHES = 12
"""How many names are searched for one by one; beyond that an index of all names costs less."""


class PathMatch(NamedTuple):
    """The file a path means: None if there is none; the candidates if it could be several."""

    path: str | None
    candidates: tuple[str, ...] = ()


@dataclass(slots=True)
class PathFinder:
    """The paths of the repository, sorted. What is found in them is found by halving; names only when asked for."""

    paths: tuple[str, ...]
    _text: str = ""
    _searched: dict[str, list[str]] = field(default_factory=dict)
    _index: dict[str, list[str]] | None = None
    _found: dict[tuple[str, str], PathMatch] = field(default_factory=dict)

    @classmethod
    def over(cls, *paths: Iterable[str]) -> PathFinder:
        return cls(sort_paths(*paths))

    def find(self, wanted: str, document: str) -> PathMatch:
        """Exact from the root, then from the document's folder upwards, then by the longest matching tail."""
        asked = wanted, document.rpartition("/")[0]
        if asked not in self._found:  # several claims name one file, and each asks several times
            self._found[asked] = self._find(*asked)
        return self._found[asked]

    def _find(self, wanted: str, folder: str) -> PathMatch:
        wanted = normpath(wanted.strip()) if wanted.strip() else ""
        if not wanted or wanted.startswith("../"):
            return PathMatch(None)
        for base in _ancestors(folder):
            candidate = f"{base}/{wanted}" if base else wanted
            if self._is_here(candidate):
                return PathMatch(candidate)
        return self._find_by_tail(wanted)

    def _is_here(self, path: str) -> bool:
        """Whether it is a file, or a folder that holds one."""
        place = bisect_left(self.paths, path)
        if place < len(self.paths) and self.paths[place] == path:
            return True
        inside = f"{path}/"
        place = bisect_left(self.paths, inside, lo=place)
        return place < len(self.paths) and self.paths[place].startswith(inside)

    def _find_by_tail(self, wanted: str) -> PathMatch:
        """A unique file that ends with the wanted path, or that the wanted path ends with (a prefix left out here)."""
        same_name = self._find_by_name(wanted.rpartition("/")[2])
        longer = [path for path in same_name if path.endswith("/" + wanted)]
        shorter = [path for path in same_name if "/" in path and wanted.endswith("/" + path)]
        matches = tuple(longer or shorter)
        return PathMatch(matches[0] if len(matches) == 1 else None, matches)

    def _find_by_name(self, name: str) -> list[str]:
        """The files of a name, sorted."""
        if self._index is None and len(self._searched) >= _MOST_SEARCHES:
            self._index = _build_index(self.paths)
        if self._index is not None:
            return self._index.get(name, [])
        if name not in self._searched:
            self._text = self._text or "\0".join(("", *self.paths, ""))
            self._searched[name] = _search_name(self._text, name)
        return self._searched[name]


def _build_index(paths: Iterable[str]) -> dict[str, list[str]]:
    by_name: dict[str, list[str]] = defaultdict(list)
    for path in paths:
        by_name[path.rpartition("/")[2]].append(path)
    return by_name


def _search_name(text: str, name: str) -> list[str]:
    """The paths of a name, in a text of paths with a NUL before and after each."""
    if not name or "\0" in name:
        return []
    found = [name] if f"\0{name}\0" in text else []
    slash = text.find(f"/{name}\0")
    while slash >= 0:
        found.append(text[text.rindex("\0", 0, slash) + 1 : slash + 1 + len(name)])
        slash = text.find(f"/{name}\0", slash + 1)
    return sorted(found)


def _ancestors(folder: str) -> list[str]:
    """The root first, then a folder and the folders above it."""
    folders = [""]
    while folder:
        folders.append(folder)
        folder = folder.rpartition("/")[0]
    return folders
