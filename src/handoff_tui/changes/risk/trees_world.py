"""Two trees as rules see them: what the baseline was, and what is, without a look at the work tree."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from handoff_tui.changes.snapshots.ecosystem.files import is_ecosystem_file
from handoff_tui.checks.facts.changed_files import is_match
from handoff_tui.checks.run.baseline import Baseline
from handoff_tui.checks.run.repository_world import RepositoryWorld
from handoff_tui.checks.world import Change
from handoff_tui.git.file_diff import FileChange
from handoff_tui.git.history.commits import read_blobs
from handoff_tui.handoffs.session import Desk

_PROJECT_FILES: Final = ("package.json", "pyproject.toml", "setup.cfg")


class TreesWorld(RepositoryWorld):
    """The repository as rules see it, with the contents of two trees in place of a commit and the work tree."""

    def __init__(self, desk: Desk, old: str, changes: list[FileChange], objects: Mapping[str, str]) -> None:
        super().__init__(desk, (), (), Baseline(old, "compared"))
        self._changes = changes
        self._objects = objects
        self._new = {change.path: change.new_id for change in changes if change.status != "D"}
        self._earlier = {change.old_path or change.path: change.old_id for change in changes if change.status != "A"}
        self._largest = desk.loaded.settings.limits.file_bytes
        self._contents = self._fetch()

    def changes(self) -> tuple[Change, ...]:
        return tuple(Change(change.status, change.path, change.old_path) for change in self._changes)

    def read(self, path: str) -> bytes | None:
        return self._contents.get(self._new[path]) if path in self._new else super().read(path)

    def read_at(self, commit: str, path: str) -> bytes | None:  # noqa: ARG002 - there is one tree to compare with
        return self._contents.get(self._earlier[path]) if path in self._earlier else super().read(path)

    def _fetch(self) -> dict[str, bytes | None]:
        """All that the rules can ask for, at once: a question of its own for each file would cost two processes."""
        tamper = self._desk.loaded.settings.tamper
        names = (*tamper.test_files, *tamper.makefiles, *tamper.threshold_files, *_PROJECT_FILES)
        wanted = {
            blob
            for side in (self._new, self._earlier)
            for path, blob in side.items()
            if is_match(path, names) or is_ecosystem_file(path)
        }
        return read_blobs(self._git, sorted(wanted), self._largest, self._objects)
