"""Diffs of texts, made by hand: what presentation is given."""

from __future__ import annotations

import difflib

from handoff_tui.git.file_diff import DiffLine, FileChange, FileDiff, FileKind, Hunk


def build_change(
    path: str = "a.py",
    status: str = "M",
    old_mode: str = "100644",
    new_mode: str = "100644",
    old_path: str | None = None,
) -> FileChange:
    return FileChange(status, path, old_path, old_mode, new_mode, "a" * 40, "b" * 40, 96 if old_path else None)


def build_hunk(*marked: str, start: int = 1, heading: str = "") -> Hunk:
    """A hunk of lines with their marks in front, numbered from a start."""
    old = new = start
    lines: list[DiffLine] = []
    for text in marked:
        mark = text[0]
        lines.append(DiffLine(mark, text[1:], old if mark != "+" else None, new if mark != "-" else None))
        old, new = old + (mark != "+"), new + (mark != "-")
    return Hunk(start, old - start, start, new - start, heading, tuple(lines))


def build_diff(*hunks: Hunk, change: FileChange | None = None, kind: FileKind = FileKind.TEXT) -> FileDiff:
    return FileDiff(change=change or build_change(), kind=kind, hunks=hunks)


def build_text_diff(old: list[str], new: list[str]) -> FileDiff:
    """One hunk with the whole of two texts."""
    marked = [line[0] + line[2:] for line in difflib.ndiff(old, new) if line[0] != "?"]
    return build_diff(build_hunk(*marked))
