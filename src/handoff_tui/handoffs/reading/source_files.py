"""A repository's files, each read safely and once, and the facts of its history, read on demand."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import cached_property

from handoff_tui.config.settings.root import Settings
from handoff_tui.core.errors import FileUnreadableError, UnsafePathError
from handoff_tui.core.place import Problem, ProblemLevel
from handoff_tui.git.history.commits import Commit, Ref, list_added, read_blobs, read_commits, read_notes, read_refs
from handoff_tui.git.repository import Repository, WorkTree
from handoff_tui.git.work_tree.listing import leave_out_own, sort_paths
from handoff_tui.git.work_tree.patched_tree import SavedPaths
from handoff_tui.handoffs.reading.format import SourceFile
from handoff_tui.system.files.probe import OFTEN_IGNORED, is_present, list_named, read_size
from handoff_tui.system.files.reader import FileReader, decode_text

_NOTES = "refs/notes/"
_REFS_OF_INTEREST = ("refs/tags", "refs/handoff", _NOTES, "refs/heads")


class RepositoryFiles:
    """Everything that formats may read of one repository."""

    def __init__(self, repository: Repository, work_tree: WorkTree, settings: Settings) -> None:
        self.settings = settings
        self._repository = repository
        self._work_tree = work_tree
        self._reader = FileReader(repository.root, settings.limits.file_bytes)
        self._files: dict[str, SourceFile] = {}
        self._sizes: dict[str, int | None] = {}

    @cached_property
    def paths(self) -> tuple[str, ...]:
        """Every path that can be read: not our own folder, and no tracked file that was deleted."""
        root = self._repository.root
        ignored = list_named(root, OFTEN_IGNORED)
        known = self._work_tree.paths
        paths = leave_out_own(sort_paths(known, ignored) if ignored else known)
        gone = frozenset(path for path in self._work_tree.facts.changed if not is_present(root, path))
        return tuple(path for path in paths if path not in gone) if gone else paths

    def file(self, path: str) -> SourceFile:
        if path not in self._files:
            self._files[path] = self._read(path)
        return self._files[path]

    def size(self, path: str) -> int | None:
        if path not in self._sizes:
            self._sizes[path] = read_size(self._repository.root, path)
        return self._sizes[path]

    def has_read(self, path: str) -> bool:
        """Whether anybody asked for the content or size of a file; if links were read, it may have been any file."""
        return path in self._files or path in self._sizes or self._has_links

    @cached_property
    def _has_links(self) -> bool:
        return any(map(self._reader.is_linked, self._files))

    def move_on(self, work_tree: WorkTree, saved: SavedPaths) -> RepositoryFiles:
        """The files a moment later, when nothing but these has changed."""
        later = RepositoryFiles(self._repository, work_tree, self.settings)
        later._files = {
            path: file
            for path, file in self._files.items()
            if path not in saved.paths and not self._reader.is_linked(path)
        }
        later._sizes = {path: size for path, size in self._sizes.items() if path not in saved.paths}
        kept = ("history", "_refs", *(() if saved.presence else ("paths",)))
        later.__dict__.update({name: self.__dict__[name] for name in kept if name in self.__dict__})
        return later

    def commits(self) -> list[Commit]:
        return self.history

    def sort_by_age(self, paths: Sequence[str]) -> list[str]:
        if not paths:
            return []
        added = {path: place for place, path in enumerate(list_added(self._repository.git, paths))}
        return sorted(paths, key=lambda path: (added.get(path, len(added)), path))

    def refs(self) -> tuple[Ref, ...]:
        return self._refs

    def notes(self, ref: str) -> dict[str, SourceFile]:
        """Notes on the newest commits, newest first; those on older commits are skipped."""
        if ref.startswith(_NOTES) and all(known.name != ref for known in self.refs()):
            return {}
        blobs = read_notes(self._repository.git, ref)
        in_order = [(commit.id, blobs[commit.id]) for commit in self.commits() if commit.id in blobs]
        contents = read_blobs(self._repository.git, [blob for _, blob in in_order], self.settings.limits.file_bytes)
        notes: dict[str, SourceFile] = {}
        for commit, blob in in_order:
            path = f"notes:{ref}/{commit}"
            notes[commit] = self._files[path] = self._build_file(path, contents[blob])
        return notes

    @cached_property
    def history(self) -> list[Commit]:
        """The newest commits, as many as the limits allow."""
        return read_commits(self._repository.git, self.settings.limits.commits)

    @cached_property
    def _refs(self) -> tuple[Ref, ...]:
        return tuple(read_refs(self._repository.git, *_REFS_OF_INTEREST))

    def _read(self, path: str) -> SourceFile:
        try:
            content = self._reader.read_bytes(path)
        except (FileUnreadableError, UnsafePathError) as refused:
            message = refused.message.removeprefix(f"{path} ")
            return SourceFile(path, "", readable=False, problems=[Problem(path=path, message=message)])
        return self._build_file(path, content)

    def _build_file(self, path: str, content: bytes | None) -> SourceFile:
        if content is None:
            problem = Problem(path=path, message="is missing or too large")
            return SourceFile(path, "", readable=False, problems=[problem])
        decoded = decode_text(content)
        level = ProblemLevel.ERROR if decoded.binary else ProblemLevel.WARNING
        problems = [Problem(path=path, message=remark, level=level) for remark in decoded.remarks]
        too_long = path.lower().endswith((".md", ".markdown")) and len(content) > self.settings.limits.markdown_bytes
        if too_long:
            limit = self.settings.limits.markdown_bytes
            problems.append(
                Problem(path=path, message=f"is too long to be parsed: {len(content):,} bytes; the limit is {limit:,}")
            )
        return SourceFile(
            path,
            "" if too_long else decoded.text,
            sha256=hashlib.sha256(content).hexdigest(),
            problems=problems,
            readable=not (decoded.binary or too_long),
        )
