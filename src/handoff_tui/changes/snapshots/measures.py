"""What is counted in a tree: files, lines, marks of unfinished work. From blobs alone, so equal trees count alike."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Final, NamedTuple

from handoff_tui.core.errors import GitError
from handoff_tui.git.command import Git
from handoff_tui.git.objects.tree_files import Objects, TreeFile, read_tree_contents, read_tree_files, read_tree_moves
from handoff_tui.system.files.cache_files import load_json, write_json

MOST_BYTES: Final = 8 * 1024 * 1024
"""Lines of larger files are not counted."""
_VERSION: Final = 1
_KEPT: Final = 64
_BINARY_WITHIN: Final = 8_000
"""Git's own rule: a zero byte near the beginning makes a file binary."""
_TODO: Final = re.compile(rb"\b(?:TODO|FIXME|XXX|HACK)\b")


class Measures(NamedTuple):
    """Of one tree. Lines and to-dos are those of text files up to a size."""

    files: int
    lines: int
    todos: int


def count_content(content: bytes) -> tuple[int, int]:
    """Lines and to-dos of a file's content; none of a binary file's. A last line without an end is a line."""
    if b"\0" in content[:_BINARY_WITHIN]:
        return 0, 0
    lines = content.count(b"\n") + (not content.endswith(b"\n") and bool(content))
    return lines, sum(1 for _ in _TODO.finditer(content))


def load_measures(git: Git, tree: str, objects: Objects, cache_folder: Path) -> Measures:
    """From the cache where this tree is known; else from the last known tree and what differs; else from everything."""
    place = cache_folder / "measures.json"
    known = _parse_cache(load_json(place))
    if tree in known:
        return known[tree]
    last = next(reversed(known), None)
    measured = _measure_moves(git, last, tree, known[last], objects) if last else None
    if measured is None:
        files = read_tree_files(git, tree, objects)
        lines, todos = _count_files(git, Counter(_key(file) for file in files if not file.link), objects)
        measured = Measures(len(files), lines, todos)
    kept = dict([*known.items(), (tree, measured)][-_KEPT:])
    write_json(place, {"version": _VERSION, "trees": kept})
    return measured


def _measure_moves(git: Git, old: str, new: str, measured: Measures, objects: Objects) -> Measures | None:
    """Nothing where the old tree is no longer here."""
    try:
        moves = read_tree_moves(git, old, new, objects)
    except GitError:
        return None
    weights: Counter[tuple[str, int | None]] = Counter()
    for move in moves:
        for file, sign in ((move.old, -1), (move.new, 1)):
            if file is not None and not file.link:
                weights[_key(file)] += sign
    if not _are_present(git, weights, objects):
        return None
    lines, todos = _count_files(git, weights, objects)
    files = sum((move.new is not None) - (move.old is not None) for move in moves)
    return Measures(measured.files + files, measured.lines + lines, measured.todos + todos)


def _are_present(git: Git, weights: Counter[tuple[str, int | None]], objects: Objects) -> bool:
    """Whether every content that must be taken off is still here; without it the difference would be wrong."""
    gone = [blob for (blob, _), weight in weights.items() if weight < 0]
    if not gone:
        return True
    asked = "".join(f"{blob}\n" for blob in gone).encode("ascii")
    return b" missing\n" not in git.read("cat-file", "--batch-check", stdin=asked, extra=objects)


def _key(file: TreeFile) -> tuple[str, int | None]:
    return file.blob, file.size


def _count_files(git: Git, weights: Counter[tuple[str, int | None]], objects: Objects) -> tuple[int, int]:
    """Each content is read once, however many files have it."""
    wanted: Iterable[tuple[str, int | None]] = [key for key, weight in weights.items() if weight]
    by_blob = {blob: weight for (blob, _), weight in weights.items()}
    lines = todos = 0
    for blob, content in read_tree_contents(git, wanted, MOST_BYTES, objects):
        if content is not None:
            more_lines, more_todos = count_content(content)
            lines += by_blob[blob] * more_lines
            todos += by_blob[blob] * more_todos
    return lines, todos


def _parse_cache(value: object) -> dict[str, Measures]:
    if not isinstance(value, dict) or value.get("version") != _VERSION or not isinstance(value.get("trees"), dict):
        return {}
    try:
        return {tree: Measures(*(int(number) for number in numbers)) for tree, numbers in value["trees"].items()}
    except (TypeError, ValueError):
        return {}
