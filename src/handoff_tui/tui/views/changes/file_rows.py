"""The changed files as rows: read or not, the kind of change, its size, and anything notable."""

from __future__ import annotations

from collections.abc import Sequence

from handoff_tui.changes.files.file_kinds import find_change_notices
from handoff_tui.changes.files.page import KIND_WORDS, label_change
from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.text.columns import compute_width
from handoff_tui.core.text.labels import Label, plural
from handoff_tui.core.text.page import Cell
from handoff_tui.core.text.safe_text import render_safe
from handoff_tui.git.file_diff import ChangedFile
from handoff_tui.log.review_record import Comment

Row = tuple[Cell, ...]
READ = Label("✓", "read", "pass")
UNREAD = Label("○", "unread", "text")
_LEAST_PATH = 24
_ROOMY = 70
"""Below this width a row has glyphs in place of words."""


class FileFacts(NamedTuple):
    """Which files have a problem, and which belong to several handoffs."""

    wrong: frozenset[str] = frozenset()
    shared: frozenset[str] = frozenset()


class ChangedFileRows:
    """One row per file; the key is its path."""

    def __init__(
        self,
        files: Sequence[ChangedFile],
        viewed: frozenset[str] = frozenset(),
        comments: Sequence[Comment] = (),
        here: str | None = None,
        facts: FileFacts = FileFacts(),  # noqa: B008 - an immutable value
    ) -> None:
        self._files = files
        self._viewed = viewed
        self._comments = [comment.path for comment in comments]
        self._here = here
        self._wrong, self._shared = facts
        self.keys = tuple(file.change.path for file in files)
        counts = [file.counts for file in files if file.counts is not None]
        self._added = max((len(_render_count("+", one.added)) for one in counts), default=0)
        self._deleted = max((len(_render_count("-", one.deleted or None)) for one in counts), default=0)

    def build_row(self, index: int, width: int) -> Row:
        file = self._files[index]
        change = file.change
        label, status = label_read(read=change.path in self._viewed), label_change(change.status)
        counts = file.counts
        if width < _ROOMY:
            return self._build_short(file, label, status, width)
        notes = self._build_notes(file)
        taken = 14 + self._added + self._deleted + sum(compute_width(cell.text) for cell in notes)
        room = max(_LEAST_PATH, width - taken)
        return (
            Cell(f"{label!s:<9}", label.role),
            Cell(f"{status.glyph} ", status.role),
            Cell(f"{_render_count('+', counts.added if counts else None):>{self._added}} ", "added"),
            Cell(f"{_render_count('-', (counts.deleted or None) if counts else None):>{self._deleted}}  ", "removed"),
            Cell(shorten_path(_render_names(file), room), "accent" if change.path == self._here else "path"),
            Cell(" "),
            *notes,
        )

    def _build_short(self, file: ChangedFile, label: Label, status: Label, width: int) -> Row:
        """A glyph for each fact, the name, and the size at the end."""
        path, counts = file.change.path, file.counts
        marks = [Cell(label.glyph, label.role), Cell(status.glyph, status.role)]
        marks.append(
            Cell("✗", "fail") if path in self._wrong else Cell("✎" if path in self._comments else " ", "human")
        )
        marks.append(Cell("⇄" if path in self._shared else "!" if find_change_notices(file.change) else " ", "warning"))
        deleted = f" -{counts.deleted}" if counts is not None and counts.deleted else ""
        size = (f"+{counts.added or 0}", deleted) if counts is not None else ("", "")
        room = max(8, width - 5 - len(size[0]) - len(size[1]) - 1)
        name = shorten_path(_render_names(file), room)
        return (
            *marks,
            Cell(f" {name}", "accent" if path == self._here else "path"),
            Cell(" " * max(1, room - compute_width(name) + 1)),
            Cell(size[0], "added"),
            Cell(size[1], "removed"),
        )

    def _build_notes(self, file: ChangedFile) -> Row:
        notes: list[Cell] = []
        said = self._comments.count(file.change.path)
        if file.change.path in self._wrong:
            notes.append(Cell(" ✗ problem", "fail"))
        if file.change.path in self._shared:
            notes.append(Cell(" ⇄ shared", "warning"))
        if said:
            notes.append(Cell(f" ┊ {plural(said, 'comment')}", "human"))
        if KIND_WORDS[file.kind]:
            notes.append(Cell(f" {KIND_WORDS[file.kind].partition(',')[0]}", "muted"))
        notes += [Cell(f" ! {render_safe(notice)}", "warning") for notice in find_change_notices(file.change)]
        return tuple(notes)


def label_read(*, read: bool) -> Label:
    """Says whether the reviewer marked the file, with its present content, as read."""
    return READ if read else UNREAD


def filter_files(
    files: Sequence[ChangedFile], text: str, having: frozenset[str] = frozenset()
) -> tuple[ChangedFile, ...]:
    """Returns the files whose path contains every word, and those that have the text in their changed lines."""
    words = text.casefold().split()
    return tuple(
        file
        for file in files
        if file.change.path in having or all(word in file.change.path.casefold() for word in words)
    )


def count_read(files: Sequence[ChangedFile], viewed: frozenset[str]) -> int:
    return sum(file.change.path in viewed for file in files)


def shorten_path(path: str, room: int) -> str:
    """Cuts the beginning of a long path: the file name says more."""
    return path if len(path) <= room else f"…{path[len(path) - room + 1 :]}"


def _render_names(file: ChangedFile) -> str:
    path = render_safe(file.change.path)
    return f"{render_safe(file.change.old_path)} → {path}" if file.change.old_path else path


def _render_count(sign: str, count: int | None) -> str:
    return "" if count is None else f"{sign}{count:,}" if count < 100_000 else f"{sign}{count // 1000}k"  # noqa: PLR2004 - what fits
