"""Files in view, made from two texts as git would make them."""

from __future__ import annotations

import difflib

from handoff_tui.changes.files.file_lines import PatchParser
from handoff_tui.changes.files.shown_file import PatchLines, ShownFile
from handoff_tui.git.file_diff import DiffOptions, FileChange, FileKind
from tests.support.diffs import build_change


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
