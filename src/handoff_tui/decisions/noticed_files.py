"""Names the files that a person should know about before deciding: those that decide over checks, and those unseen."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from handoff_tui.changes.files.file_kinds import is_binary
from handoff_tui.checks.facts.changed_files import is_match
from handoff_tui.core.text.labels import plural
from handoff_tui.decisions.examine import ExaminedGate
from handoff_tui.git.file_diff import FileChange
from handoff_tui.git.history.commits import read_blobs
from handoff_tui.git.objects.private_objects import offer_objects
from handoff_tui.system.files.cache_files import find_cache_folder

_SHOWN_BYTES: Final = 4 * 1024 * 1024
"""Larger files are cut when a diff is shown."""
_SHOWN_LINES: Final = 50_000
_LONG_LINE: Final = 2_000
"""A longer line is minified or data; nobody reads it."""
_NO_CONTENT: Final = frozenset({"120000", "160000"})
_FILES_AT_ONCE: Final = 50


class NoticedFiles(NamedTuple):
    """Why files are named, and which."""

    text: str
    paths: tuple[str, ...]


def find_noticed_files(examined: ExaminedGate, changes: Iterable[FileChange]) -> tuple[NoticedFiles, ...]:
    """Lists configuration, test and CI files among the changes, and those that no diff shows in full."""
    listed = tuple(changes)
    settings = examined.session.loaded.settings
    kinds = (
        ("configuration file", settings.risk.policy_files),
        ("CI file", settings.tamper.ci_files),
        ("test file", settings.tamper.test_files),
    )
    named = [
        NoticedFiles(f"{plural(len(paths), kind)} changed", paths)
        for kind, patterns in kinds
        if (paths := tuple(change.path for change in listed if is_match(change.path, patterns)))
    ]
    cut = tuple(_find_cut(examined, [one for one in listed if one.status != "D" and one.new_mode not in _NO_CONTENT]))
    if cut:
        text = f"{plural(len(cut), 'file')} no diff shows in full: binary, minified or too large"
        named.append(NoticedFiles(text, cut))
    return tuple(named)


def _find_cut(examined: ExaminedGate, changes: list[FileChange]) -> Iterator[str]:
    repository = examined.session.repository
    objects = offer_objects(repository, find_cache_folder(repository.root))
    for start in range(0, len(changes), _FILES_AT_ONCE):
        some = changes[start : start + _FILES_AT_ONCE]
        contents = read_blobs(repository.git, sorted({one.new_id for one in some}), _SHOWN_BYTES, objects)
        yield from (change.path for change in some if _is_cut(contents.get(change.new_id)))


def _is_cut(content: bytes | None) -> bool:
    if content is None or is_binary(content) or content.count(b"\n") > _SHOWN_LINES:
        return True
    return len(content) > _LONG_LINE and any(len(line) > _LONG_LINE for line in content.split(b"\n"))
