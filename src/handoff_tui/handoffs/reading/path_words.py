"""Finds the few paths of interest in a long sorted list, without looking at each by itself."""

from __future__ import annotations

from collections.abc import Iterable

from handoff_tui.git.work_tree.listing import list_below


def find_naming(paths: tuple[str, ...], words: tuple[str, ...]) -> list[str]:
    """The paths that hold one of the words (folded), in letters of any size."""
    everything = "\0".join(paths).casefold()
    present = [word for word in words if word in everything]
    if not present:
        return []
    return [path for path in paths if any(word in path.casefold() for word in present)]


def find_below(paths: tuple[str, ...], folders: Iterable[str]) -> list[str]:
    """The sorted paths below one of the folders, each once, in order."""
    return sorted({path for folder in folders for path in list_below(paths, folder)})
