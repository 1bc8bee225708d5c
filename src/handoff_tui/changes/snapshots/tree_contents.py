"""What a tree contributes to a snapshot: packages, paths of reports, and counts of files, lines and to-dos.

Both are cached by tree id.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple

from handoff_tui.changes.snapshots.packages import (
    MOST_PACKAGE_BYTES,
    EcosystemReading,
    build_unread,
    is_ecosystem_file,
    parse_ecosystem_file,
)
from handoff_tui.changes.snapshots.snapshot import (
    PackageRecord,
    Unread,
)
from handoff_tui.config.settings.review import Baseline
from handoff_tui.core.errors import GitError
from handoff_tui.core.model import Model
from handoff_tui.core.restored import restore
from handoff_tui.git.command import Git
from handoff_tui.git.history.commits import read_blobs
from handoff_tui.git.objects.tree_files import (
    Objects,
    TreeFile,
    find_read_paths,
    read_tree_contents,
    read_tree_file_changes,
    read_tree_files,
)
from handoff_tui.system.files.sealed_files import load_json, write_json

_VERSION: Final = 1
"""Of both caches."""
_MOST_COUNTED_BYTES: Final = 8 * 1024 * 1024
"""Lines of larger files are not counted."""
_MOST_TREES: Final = 64
_BINARY_WITHIN: Final = 8_000
"""Git's own rule: a zero byte near the beginning makes a file binary."""
_TODO: Final = re.compile(rb"\b(?:TODO|FIXME|XXX|HACK)\b")


class TreeContents(Model):
    """Packages and reports of one tree, by path."""

    packages: tuple[PackageRecord, ...]
    unread: tuple[Unread, ...]
    reports: tuple[str, ...]
    coverage: tuple[str, ...]


def load_tree_contents(git: Git, tree: str, objects: Objects, settings: Baseline, cache_folder: Path) -> TreeContents:
    """The contents of a tree, from the cache if it was the last one asked about."""
    place = cache_folder / "tree-contents.json"
    key = _build_key(tree, settings)
    known = load_json(place)
    if isinstance(known, dict) and known.get("key") == key:
        with suppress(ValueError, TypeError, KeyError, AttributeError):
            return restore(TreeContents, known.get("contents"))
    contents = _read_contents(git, tree, objects, settings)
    write_json(place, {"key": key, "contents": contents.model_dump(mode="json")})
    return contents


def _read_contents(git: Git, tree: str, objects: Objects, settings: Baseline) -> TreeContents:
    paths = find_read_paths(git, tree)
    if paths is None:
        listing = git.read("ls-tree", "-r", "-z", "--name-only", "--full-tree", tree, extra=objects)
        paths = os.fsdecode(listing).split("\0")[:-1]
    declaring = sorted(path for path in paths if is_ecosystem_file(path))
    names = {f"{tree}:{path}": path for path in declaring}
    found = read_blobs(git, list(names), MOST_PACKAGE_BYTES, objects)
    readings = [_read_one(path, found[name]) for name, path in names.items()]
    reports, coverage = build_matcher(settings.reports), build_matcher(settings.coverage)
    return TreeContents(
        packages=tuple(record for reading in readings for record in reading.packages),
        unread=tuple(unread for reading in readings for unread in reading.unread),
        reports=tuple(sorted(path for path in paths if reports.fullmatch(path))),
        coverage=tuple(sorted(path for path in paths if coverage.fullmatch(path))),
    )


def _read_one(path: str, content: bytes | None) -> EcosystemReading:
    if content is None:
        return build_unread(path, f"is missing, no file, or larger than {MOST_PACKAGE_BYTES:,} bytes")
    return parse_ecosystem_file(path, content)


def _build_key(tree: str, settings: Baseline) -> str:
    said = json.dumps([_VERSION, tree, settings.reports, settings.coverage])
    return hashlib.sha256(said.encode()).hexdigest()


def build_matcher(patterns: Iterable[str]) -> re.Pattern[str]:
    """One regular expression for all patterns, for full paths.

    `*` and `?` stay within a path segment; `**` matches any number of segments, including none.
    """
    translated = [_translate(pattern) for pattern in patterns]
    return re.compile("|".join(f"(?:{part})" for part in translated) or r"(?!)", re.DOTALL)


def _translate(pattern: str) -> str:
    parts = [part for part in pattern.removeprefix("./").split("/") if part]
    translated = ""
    for number, part in enumerate(parts):
        is_last = number == len(parts) - 1
        if part == "**":
            translated += ".+" if is_last else "(?:[^/]+/)*"
        else:
            translated += _translate_part(part) + ("" if is_last else "/")
    return translated or r"(?!)"


def _translate_part(part: str) -> str:
    wild = {"*": "[^/]*", "?": "[^/]"}
    return "".join(wild.get(character) or re.escape(character) for character in re.sub(r"\*+", "*", part))


class Measures(NamedTuple):
    """Counts of one tree; lines and to-dos only of text files up to a size."""

    files: int
    lines: int
    todos: int


def count_content(content: bytes) -> tuple[int, int]:
    """Counts lines and to-dos; none in binary content. An unterminated last line counts."""
    if b"\0" in content[:_BINARY_WITHIN]:
        return 0, 0
    lines = content.count(b"\n") + (not content.endswith(b"\n") and bool(content))
    return lines, sum(1 for _ in _TODO.finditer(content))


def load_measures(git: Git, tree: str, objects: Objects, cache_folder: Path) -> Measures:
    """The counts of a tree: cached, else from the last known tree and what differs, else from scratch."""
    place = cache_folder / "measures.json"
    known = _parse_cache(load_json(place))
    if tree in known:
        return known[tree]
    last = next(reversed(known), None)
    measured = _measure_changes(git, last, tree, known[last], objects) if last else None
    if measured is None:
        files = read_tree_files(git, tree, objects)
        lines, todos = _count_files(git, Counter(_build_count_key(file) for file in files if not file.link), objects)
        measured = Measures(len(files), lines, todos)
    kept = dict([*known.items(), (tree, measured)][-_MOST_TREES:])
    write_json(place, {"version": _VERSION, "trees": kept})
    return measured


def _measure_changes(git: Git, old: str, new: str, measured: Measures, objects: Objects) -> Measures | None:
    """The counts from those of an old tree; None if its objects are gone."""
    try:
        moves = read_tree_file_changes(git, old, new, objects)
    except GitError:
        return None
    weights: Counter[tuple[str, int | None]] = Counter()
    for move in moves:
        for file, sign in ((move.old, -1), (move.new, 1)):
            if file is not None and not file.link:
                weights[_build_count_key(file)] += sign
    if not _are_present(git, weights, objects):
        return None
    lines, todos = _count_files(git, weights, objects)
    files = sum((move.new is not None) - (move.old is not None) for move in moves)
    return Measures(measured.files + files, measured.lines + lines, measured.todos + todos)


def _are_present(git: Git, weights: Counter[tuple[str, int | None]], objects: Objects) -> bool:
    """Whether every content to subtract is still here; otherwise the result would be wrong."""
    gone = [blob for (blob, _), weight in weights.items() if weight < 0]
    if not gone:
        return True
    asked = "".join(f"{blob}\n" for blob in gone).encode("ascii")
    return b" missing\n" not in git.read("cat-file", "--batch-check", stdin=asked, extra=objects)


def _build_count_key(file: TreeFile) -> tuple[str, int | None]:
    return file.blob, file.size


def _count_files(git: Git, weights: Counter[tuple[str, int | None]], objects: Objects) -> tuple[int, int]:
    """Reads each content once, however many files have it."""
    wanted: Iterable[tuple[str, int | None]] = [key for key, weight in weights.items() if weight]
    by_blob = {blob: weight for (blob, _), weight in weights.items()}
    lines = todos = 0
    for blob, content in read_tree_contents(git, wanted, _MOST_COUNTED_BYTES, objects):
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
