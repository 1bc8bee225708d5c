"""Diffs and files in view, made from texts."""

from __future__ import annotations

import difflib

from handoff_tui.changes.files.file_lines import PatchParser
from handoff_tui.changes.files.shown_file import PatchLines, ShownFile
from handoff_tui.git.file_diff import DiffLine, DiffOptions, FileChange, FileDiff, FileKind, Hunk


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


def render_patch(old: list[str], new: list[str]) -> bytes:
    """One hunk with the whole of both texts: deleted lines stand before the added ones that take their place."""
    marked: list[str] = []
    for code, first, last, start, end in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if code == "equal":
            marked += [f" {line}" for line in old[first:last]]
        else:
            marked += [f"-{line}" for line in old[first:last]] + [f"+{line}" for line in new[start:end]]
    head = "diff --git a/a b/a\n--- a/a\n+++ b/a\n"
    starts = (int(bool(old)), len(old), int(bool(new)), len(new))
    body = "".join(f"{line}\n" for line in marked)
    return f"{head}@@ -{starts[0]},{starts[1]} +{starts[2]},{starts[3]} @@\n{body}".encode("utf-8", "surrogateescape")


def parse_patch(patch: bytes, piece: int = 1 << 16) -> PatchLines:
    parser = PatchParser()
    for start in range(0, len(patch), piece):
        parser.feed(patch[start : start + piece])
    parser.flush(ended=True)
    return parser.build()


def build_shown(
    old: list[str],
    new: list[str],
    change: FileChange | None = None,
    kind: FileKind = FileKind.TEXT,
    note: str | None = None,
) -> ShownFile:
    """The file in view, with its lines."""
    lines = parse_patch(render_patch(old, new)) if old != new else PatchLines()
    return ShownFile(change or build_change(), DiffOptions(), kind, lines, note=note)


def number_lines(count: int, changed: dict[int, str] | None = None) -> list[str]:
    """`line 1` and so on, some of them changed."""
    return [(changed or {}).get(number, f"line {number}") for number in range(1, count + 1)]
