"""How the files of two trees differ: the list first, then the hunks of the one in view."""

from __future__ import annotations

from enum import StrEnum

from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.model import Model


class FileKind(StrEnum):
    """What kind of content a changed path holds; lists are folded and marked by it."""

    TEXT = "text"
    BINARY = "binary"
    SYMLINK = "symlink"
    SUBMODULE = "submodule"
    NOTEBOOK = "notebook"
    LOCK = "lock"
    GENERATED = "generated"


FOLDED_KINDS = frozenset({FileKind.LOCK})
"""Listed with their counts, and shown line by line only on request.

Generated files are marked, not folded: only their author says that they are generated.
"""


_WORDS = {"A": "added", "M": "modified", "D": "deleted", "T": "type changed", "R": "renamed", "C": "copied"}


class FileChange(NamedTuple):
    """A path that differs between two trees. Lists of 10,000 are common, so it is a tuple, not a model."""

    status: str
    """Git's letter."""
    path: str
    old_path: str | None
    old_mode: str
    new_mode: str
    old_id: str
    new_id: str
    similarity: int | None = None

    @property
    def word(self) -> str:
        return _WORDS.get(self.status, self.status)

    @property
    def mode_changed(self) -> bool:
        return self.status in "MRT" and self.old_mode != self.new_mode


class LineCounts(NamedTuple):
    """Added and deleted lines; None for binary content."""

    added: int | None
    deleted: int | None


class DiffLine(NamedTuple):
    """A line of a hunk: ` ` context, `+` added, `-` deleted. Without its newline."""

    mark: str
    text: str
    old_number: int | None
    new_number: int | None
    ends_without_newline: bool = False


class Hunk(NamedTuple):
    """A block of lines that differ, with context."""

    old_start: int
    old_count: int
    new_start: int
    new_count: int
    heading: str
    lines: tuple[DiffLine, ...]


class BlobFacts(NamedTuple):
    """Facts about content that isn't shown as lines."""

    size: int
    sha256: str


class FileDiff(Model):
    """The diff of one file."""

    change: FileChange
    kind: FileKind
    hunks: tuple[Hunk, ...] = ()
    old_facts: BlobFacts | None = None
    new_facts: BlobFacts | None = None
    note: str | None = None
    """Why no lines are shown, or that some are left out."""
    truncated: bool = False


class Whitespace(StrEnum):
    """Which changes in white space count."""

    ALL = "all"
    IGNORE_AT_END = "ignore-at-end"
    IGNORE_AMOUNT = "ignore-amount"
    IGNORE = "ignore"
    IGNORE_BLANK_LINES = "ignore-blank-lines"


class DiffOptions(NamedTuple):
    """How one file's diff is read."""

    whitespace: Whitespace = Whitespace.ALL
    context: int = 3
    most_lines: int | None = 5_000
    """Reading ends after this many lines of hunks; None for all of them."""
    as_text: bool = False
    """Whether binary content is shown as lines too."""
    as_stored: bool = False
    """Whether a notebook is shown as its stored JSON, not as its cells."""


class TreeChanges(NamedTuple):
    """All paths that differ between two trees."""

    changes: list[FileChange]
    note: str | None = None
    """What the list doesn't know, such as renames that weren't searched for."""


class ChangedFile(NamedTuple):
    """A line of the file list. Counts arrive later than the list, and are None until then."""

    change: FileChange
    kind: FileKind
    counts: LineCounts | None = None
