"""The one changed file in view: what it is, and its lines as far as they were read."""

from __future__ import annotations

from dataclasses import dataclass, field

from handoff_tui.changes.files.patch_lines import PatchLines
from handoff_tui.git.file_diff import BlobFacts, DiffOptions, FileChange, FileKind


@dataclass(frozen=True, slots=True)
class ShownFile:
    """Two are equal when they show the same contents in the same way: the change names them by their ids."""

    change: FileChange
    options: DiffOptions
    kind: FileKind
    lines: PatchLines = field(default_factory=PatchLines, compare=False)
    complete: bool = True
    """Whether all lines were read; more are on their way otherwise."""
    old_facts: BlobFacts | None = None
    new_facts: BlobFacts | None = None
    note: str | None = None
    """Why there are no lines, or what they leave out."""
