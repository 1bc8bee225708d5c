"""Changed files as a page and as the public JSON shape: the list, and the hunks of one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from handoff_tui.changes.files.file_kinds import find_change_notices, find_diff_notices
from handoff_tui.changes.files.lines import HunkRow, LineRow, build_split_rows, build_unified_rows, find_hidden_lines
from handoff_tui.core.text.columns import wrap_cells
from handoff_tui.core.text.labels import Label, plural
from handoff_tui.core.text.page import Cell, Column, Page
from handoff_tui.core.text.safe_text import render_safe
from handoff_tui.git.file_diff import FOLDED_KINDS, BlobFacts, ChangedFile, FileDiff, FileKind, Hunk


def build_files_json(files: Sequence[ChangedFile]) -> list[dict[str, object]]:
    """The list of files; counts are null for binary content, or if not asked for."""
    return [_build_file(file) for file in files]


def build_file_diff_json(diff: FileDiff) -> dict[str, object]:
    """One file with its hunks. Text is as in the file; bytes that aren't UTF-8 are lone surrogates."""
    change = diff.change
    return {
        "path": change.path,
        "old_path": change.old_path,
        "status": change.status,
        "kind": diff.kind.value,
        "note": diff.note,
        "truncated": diff.truncated,
        "remarks": find_diff_notices(diff),
        "hidden_characters": [
            {"line": number, "characters": list(characters)} for number, characters in find_hidden_lines(diff)
        ],
        "old": _build_facts(diff.old_facts),
        "new": _build_facts(diff.new_facts),
        "hunks": [_build_hunk(hunk) for hunk in diff.hunks],
    }


def build_tree_diff_json(
    files: Sequence[ChangedFile], diffs: Iterable[FileDiff] = (), note: str | None = None
) -> dict[str, object]:
    """The list, a note on what is missing, and the diffs that were read."""
    return {
        "files": build_files_json(files),
        "note": note,
        "diffs": [build_file_diff_json(diff) for diff in diffs],
    }


def _build_file(file: ChangedFile) -> dict[str, object]:
    change, counts = file.change, file.counts
    return {
        "path": change.path,
        "old_path": change.old_path,
        "status": change.status,
        "similarity": change.similarity,
        "kind": file.kind.value,
        "folded": file.kind in FOLDED_KINDS,
        "old_mode": change.old_mode,
        "new_mode": change.new_mode,
        "old_id": change.old_id,
        "new_id": change.new_id,
        "added": counts.added if counts else None,
        "deleted": counts.deleted if counts else None,
        "remarks": find_change_notices(change),
    }


def _build_facts(facts: BlobFacts | None) -> dict[str, object] | None:
    return None if facts is None else {"size": facts.size, "sha256": facts.sha256}


def _build_hunk(hunk: Hunk) -> dict[str, object]:
    lines = [
        {
            "mark": line.mark,
            "text": line.text,
            "old": line.old_number,
            "new": line.new_number,
            "ends_without_newline": line.ends_without_newline,
        }
        for line in hunk.lines
    ]
    return hunk._asdict() | {"lines": lines}


MOST_LISTED = 200
LEAST_SPLIT_WIDTH = 100
"""Side by side needs this many columns."""
_STATUSES = {
    "A": Label("A", "added", "added"),
    "C": Label("C", "copied", "added"),
    "D": Label("D", "deleted", "removed"),
    "M": Label("M", "modified", "changed"),
    "R": Label("R", "renamed", "changed"),
    "T": Label("T", "type changed", "changed"),
}
KIND_WORDS = {
    FileKind.TEXT: "",
    FileKind.BINARY: "binary",
    FileKind.SYMLINK: "link",
    FileKind.SUBMODULE: "submodule",
    FileKind.NOTEBOOK: "notebook",
    FileKind.LOCK: "lock, folded",
    FileKind.GENERATED: "generated",
}
_UNKNOWN = "–"
_BETWEEN = " │ "


def label_change(status: str) -> Label:
    """The letter git has for the change, and its word."""
    return _STATUSES.get(status) or Label("?", render_safe(status) or "unknown", "unknown")


def add_file_list(page: Page, files: Sequence[ChangedFile], note: str | None = None, *, everything: bool) -> None:
    """Status, kind, counts and path of each file, and how many aren't listed."""
    page.heading("Files changed", _sum_up(files))
    listed = files if everything else files[:MOST_LISTED]
    has_kinds = any(KIND_WORDS[file.kind] for file in listed)
    kind = (Column("kind"),) if has_kinds else ()
    columns = (Column("change"), Column("+", right=True), Column("-", right=True), *kind, Column("path"))
    page.grid(columns, [_build_row(file, has_kinds=has_kinds) for file in listed])
    if len(listed) < len(files):
        page.line(Cell(f"… and {plural(len(files) - len(listed), 'more file')}", "muted"))
    if note:
        page.line(Cell(f"! {render_safe(note)}", "warning"), indent=2)
    for file in listed:
        for notice in find_change_notices(file.change):
            page.line(
                Cell(f"! {render_safe(file.change.path)} ", "path"), Cell(render_safe(notice), "warning"), indent=2
            )


def add_file_diff(page: Page, diff: FileDiff, *, split_width: int | None = None, expanded: bool = False) -> None:
    """One file: what it is, what to notice, and its lines, side by side if `split_width` is given."""
    change = diff.change
    label = label_change(change.status)
    page.heading(_render_path(diff), " · ".join(part for part in (label.word, KIND_WORDS[diff.kind]) if part))
    for notice in find_diff_notices(diff):
        page.line(Cell(f"! {render_safe(notice)}", "warning"), indent=2)
    if diff.kind is FileKind.SUBMODULE:
        page.line(Cell(f"commit {change.old_id}", "removed"), indent=2)
        page.line(Cell(f"commit {change.new_id}", "added"), indent=2)
    for name, facts, role in (("old", diff.old_facts, "removed"), ("new", diff.new_facts, "added")):
        if diff.kind is FileKind.BINARY:
            page.line(Cell(f"{name}  {_render_facts(facts)}", role), indent=2)
    if diff.note:
        page.line(Cell(render_safe(diff.note), "muted"), indent=2)
    if diff.kind in FOLDED_KINDS and not expanded:
        lines = sum(len(hunk.lines) for hunk in diff.hunks)
        page.line(Cell(f"folded: {plural(lines, 'line')} not shown", "muted"), indent=2)
    elif split_width is not None and split_width >= LEAST_SPLIT_WIDTH:
        _add_split(page, diff, split_width)
    else:
        _add_unified(page, diff)


def _sum_up(files: Sequence[ChangedFile]) -> str:
    counted = [file.counts for file in files if file.counts is not None]
    if len(counted) < len(files) or not files:
        return plural(len(files), "file")
    added, deleted = sum(counts.added or 0 for counts in counted), sum(counts.deleted or 0 for counts in counted)
    return f"{plural(len(files), 'file')}, +{added:,} -{deleted:,}"


def _build_row(file: ChangedFile, *, has_kinds: bool) -> tuple[Cell, ...]:
    change, counts = file.change, file.counts
    label = label_change(change.status)
    similarity = f" {change.similarity} %" if change.similarity is not None and change.old_path else ""
    path = render_safe(change.path)
    if change.old_path:
        path = f"{render_safe(change.old_path)} → {path}"
    return (
        Cell(f"{label}{similarity}", label.role),
        Cell(_render_count(counts.added if counts else None), "added"),
        Cell(_render_count(counts.deleted if counts else None), "removed"),
        *((Cell(KIND_WORDS[file.kind], "muted"),) if has_kinds else ()),
        Cell(path, "path"),
    )


def _render_count(count: int | None) -> str:
    return _UNKNOWN if count is None else f"{count:,}"


def _render_path(diff: FileDiff) -> str:
    path = render_safe(diff.change.path)
    return f"{render_safe(diff.change.old_path)} → {path}" if diff.change.old_path else path


def _render_facts(facts: BlobFacts | None) -> str:
    return "missing" if facts is None else f"{plural(facts.size, 'byte')}, sha256 {facts.sha256}"


def _add_unified(page: Page, diff: FileDiff) -> None:
    width = _find_number_width(diff)
    for row in build_unified_rows(diff):
        if isinstance(row, HunkRow):
            page.line(*row.cells)
            continue
        line = row.line
        numbers = f"{line.old_number or '':>{width}} {line.new_number or '':>{width}}"
        page.line(Cell(f"{numbers}{_BETWEEN}", "muted"), *_build_content(row), indent=2 * width + 1 + len(_BETWEEN) + 2)


def _add_split(page: Page, diff: FileDiff, width: int) -> None:
    side = (width - len(_BETWEEN)) // 2
    numbers = _find_number_width(diff)
    for row in build_split_rows(diff):
        if isinstance(row, HunkRow):
            page.line(*row.cells)
            continue
        left = _build_side(row.left, numbers, side, old=True)
        right = _build_side(row.right, numbers, side, old=False)
        blank = (Cell(" " * side),)
        for place in range(max(len(left), len(right))):
            one, other = (lines[place] if place < len(lines) else blank for lines in (left, right))
            page.line(*one, Cell(_BETWEEN, "muted"), *other)


def _build_side(row: LineRow | None, numbers: int, width: int, *, old: bool) -> list[tuple[Cell, ...]]:
    if row is None:
        return wrap_cells((Cell("╱" * width, "muted"),), width)
    number = row.line.old_number if old else row.line.new_number
    lead, *content = _build_content(row)
    gutter = numbers + 1 + len(lead.text)
    first, *rest = wrap_cells(content, width - gutter)
    blank = Cell(" " * gutter)
    return [(Cell(f"{number or '':>{numbers}} ", "muted"), lead, *first), *((blank, *line) for line in rest)]


def _build_content(row: LineRow) -> tuple[Cell, ...]:
    mark = row.line.mark
    role = {"+": "added", "-": "removed"}.get(mark, "text")
    warning = (Cell("  ! hidden character", "hidden"),) if row.hidden else ()
    return (Cell(f"{mark} ", role), *row.cells, *warning)


def _find_number_width(diff: FileDiff) -> int:
    last = max(
        (max(hunk.old_start + hunk.old_count, hunk.new_start + hunk.new_count) for hunk in diff.hunks), default=0
    )
    return max(4, len(str(last)))
