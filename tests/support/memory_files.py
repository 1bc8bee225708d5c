"""A repository's files in memory, for tests of formats."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

from handoff_tui.config.settings.root import Settings
from handoff_tui.core.place import Problem
from handoff_tui.git.history.commits import Commit, Ref
from handoff_tui.handoffs.reading.format import (
    Confidence,
    FormatFiles,
    FormatReading,
    HandoffFormat,
    Source,
    SourceFile,
)


def build_commit(name: str, subject: str, body: str, author: str, date: str) -> Commit:
    return Commit(name, (), author, "", author, "", date, subject, body)


def build_ref(name: str, commit: str, subject: str) -> Ref:
    return Ref(name, commit, "commit", commit, subject)


@dataclass
class MemoryFiles:
    """Files given as text; git facts given as they are."""

    files: dict[str, str]
    settings: Settings = field(default_factory=Settings)
    git_commits: tuple[Commit, ...] = ()
    git_refs: tuple[Ref, ...] = ()
    git_notes: dict[str, dict[str, str]] = field(default_factory=dict)
    read: dict[str, SourceFile] = field(default_factory=dict)
    """By path; a test puts a file here that cannot be read."""

    @property
    def paths(self) -> tuple[str, ...]:
        return tuple(sorted(self.files))

    def file(self, path: str) -> SourceFile:
        if path not in self.read:
            self.read[path] = SourceFile.of_text(path, self.files[path])
        return self.read[path]

    def size(self, path: str) -> int | None:
        return len(self.files[path].encode()) if path in self.files else None

    def commits(self) -> tuple[Commit, ...]:
        return self.git_commits

    def sort_by_age(self, paths: Sequence[str]) -> list[str]:
        return sorted(paths)

    def refs(self) -> tuple[Ref, ...]:
        return self.git_refs

    def notes(self, ref: str) -> dict[str, SourceFile]:
        notes = self.git_notes.get(ref, {})
        return {commit: SourceFile.of_text(f"notes:{ref}/{commit}", text) for commit, text in notes.items()}

    @cached_property
    def opened(self) -> FormatFiles:
        return FormatFiles(self)

    def source(self, path: str) -> Source:
        return self.opened.source(path)

    def problems(self) -> list[Problem]:
        """Everything that was reported so far."""
        return sorted(self.opened.problems(), key=lambda problem: problem.path)


def read_with(format_: HandoffFormat, files: MemoryFiles) -> FormatReading:
    """What one format makes of some files, as if it were alone."""
    owned = [
        source
        for path in files.paths
        if format_.may_own(path) and format_.recognise(source := files.source(path)) >= Confidence.POSSIBLE
    ]
    return format_.read(owned, files.opened)
