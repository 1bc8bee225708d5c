"""Puts the contents that a captured tree names, and that no object folder has yet, into our own."""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Mapping
from pathlib import Path

from handoff_tui.git.command import Git
from handoff_tui.git.objects.private_objects import make_folder, offer_own_objects
from handoff_tui.git.work_tree.private_index import IndexEntry

_FILES = frozenset({"100644", "100755"})
_LINK = "120000"


def write_contents(
    root: Path, git: Git, paths: list[IndexEntry], reading: Mapping[str, str], cache_folder: Path
) -> bool:
    """Whether every content is there now; false when a file no longer has the one that the index names."""
    wanted = {found.object_id: found for found in paths if found.mode in _FILES or found.mode == _LINK}
    missing = _find_missing(git, wanted, reading)
    files = [found for found in missing if found.mode in _FILES]
    links = [found for found in missing if found.mode == _LINK]
    return _write_files(git, files, cache_folder) and _write_links(root, git, links, cache_folder)


def _find_missing(git: Git, wanted: dict[str, IndexEntry], reading: Mapping[str, str]) -> list[IndexEntry]:
    if not wanted:
        return []
    names = list(wanted)
    asked = "".join(f"{name}\n" for name in names).encode("ascii")
    lines = git.read("cat-file", "--batch-check", stdin=asked, extra=reading).decode("ascii").split("\n")
    return [wanted[name] for name, line in zip(names, lines, strict=False) if line.endswith(" missing")]


def _write_files(git: Git, files: list[IndexEntry], cache_folder: Path) -> bool:
    """With line ends and the like converted; where that gives another id, git had left the file as it is."""
    left = _hash_files(git, (), files, cache_folder)
    return not _hash_files(git, ("--no-filters",), left, cache_folder)


def _hash_files(git: Git, options: tuple[str, ...], files: list[IndexEntry], cache_folder: Path) -> list[IndexEntry]:
    """Those whose id was another, or could not be computed."""
    if not files:
        return []
    stdin = b"".join(_quote(os.fsencode(found.path)) + b"\n" for found in files)
    writing = offer_own_objects(cache_folder)
    answer = git.run("hash-object", "-w", *options, "--stdin-paths", stdin=stdin, extra=writing)
    made = answer.text.split("\n") if answer.ok else []
    return [
        found for number, found in enumerate(files) if number >= len(made) or made[number].strip() != found.object_id
    ]


def _write_links(root: Path, git: Git, links: list[IndexEntry], cache_folder: Path) -> bool:
    """Where a link leads is its content; git is given it in a file, so that all are written in one go."""
    if not links:
        return True
    with tempfile.TemporaryDirectory(prefix="links-", dir=make_folder(cache_folder)) as name:
        texts: list[IndexEntry] = []
        for number, found in enumerate(links):
            place = root / found.path
            try:
                if not stat.S_ISLNK(place.lstat().st_mode):
                    return False
                target = os.fsencode(place.readlink())
            except OSError:
                return False
            text = Path(name) / str(number)
            text.write_bytes(target)
            texts.append(found._replace(path=str(text)))
        return not _hash_files(git, ("--no-filters",), texts, cache_folder)


def _quote(path: bytes) -> bytes:
    """A name as git reads it from a line: in quotes where it could end the line or begin a quote."""
    if b"\n" not in path and not path.startswith(b'"'):
        return path
    escaped = path.replace(b"\\", b"\\\\").replace(b'"', b'\\"').replace(b"\n", b"\\n")
    return b'"' + escaped + b'"'
