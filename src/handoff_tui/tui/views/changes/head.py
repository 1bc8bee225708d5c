"""What is shown above the lines of a changed file: warnings, why there are no lines, and how to see them."""

from __future__ import annotations

from typing import NamedTuple

from handoff_tui.changes.files.notices import find_change_notices
from handoff_tui.changes.files.shown_file import ShownFile
from handoff_tui.core.text.labels import plural
from handoff_tui.core.text.page import Cell
from handoff_tui.core.text.page_layout import wrap_words
from handoff_tui.core.text.safe_text import find_hidden, render_safe
from handoff_tui.git.file_diff import FOLDED_KINDS, BlobFacts, FileKind

EXPAND, AS_TEXT, AS_STORED = "expand", "as-text", "as-stored"
"""What Enter does on a row of the head."""
_MOST_NAMED = 3

Cells = tuple[Cell, ...]


class HeadRow(NamedTuple):
    """A row, and what Enter does on it."""

    cells: Cells
    door: str = ""


class Head(NamedTuple):
    """All rows above the lines, and whether there are lines below."""

    rows: tuple[HeadRow, ...]
    shows_lines: bool


MOST_FOLDED = 20_000
"""With more changes, nothing is folded or shown side by side: finding the folds would take too long."""


def has_many_changes(file: ShownFile) -> bool:
    return len(file.lines.runs.starts) > MOST_FOLDED


def build_head(file: ShownFile, width: int, *, expanded: bool = False) -> Head:
    """Lists warnings, then facts; says so if the file is folded, or too large to fold."""
    rows = [
        HeadRow((Cell("   " if number else " ! ", "warning"), *row))
        for notice in find_file_notices(file)
        for number, row in enumerate(wrap_words([Cell(render_safe(notice), "warning")], max(20, width - 4)))
    ]
    rows += [HeadRow((Cell(f" {text}", role),)) for text, role in _describe_content(file)]
    if file.note:
        rows += [
            HeadRow((Cell(" "), *row))
            for row in wrap_words([Cell(render_safe(file.note), "muted")], max(20, width - 2))
        ]
    if has_many_changes(file):
        words = f" more than {MOST_FOLDED:,} changes: not folded, not side by side"
        rows += [HeadRow(row) for row in wrap_words([Cell(words, "muted")], max(20, width - 2))]
    folded = file.kind in FOLDED_KINDS and not expanded
    rows += _list_doors(file, folded=folded)
    if not file.complete and not len(file.lines):
        rows.append(HeadRow((Cell(" reading…", "muted"),)))
    return Head(tuple(rows), not folded)


def find_file_notices(file: ShownFile) -> list[str]:
    """Lists what a reviewer should notice besides the lines."""
    notices = find_change_notices(file.change)
    if file.kind is FileKind.GENERATED:
        notices.append("says it's generated")
    if file.lines.hidden_count:
        notices.append(_describe_hidden(file))
    return notices


def _describe_hidden(file: ShownFile) -> str:
    lines = [file.lines.read_line(index) for index in file.lines.hidden[:_MOST_NAMED]]
    named = ", ".join(
        f"{' '.join(find_hidden(line.text.removesuffix(chr(13))))} on line {line.new_number}" for line in lines
    )
    more = file.lines.hidden_count - len(lines)
    return f"hidden characters added: {named}" + (f", and {plural(more, 'more line')}" if more > 0 else "")


def _describe_content(file: ShownFile) -> list[tuple[str, str]]:
    if file.kind is FileKind.SUBMODULE:
        return [(f"old  commit {file.change.old_id}", "removed"), (f"new  commit {file.change.new_id}", "added")]
    if file.kind is FileKind.BINARY and not len(file.lines):
        return [
            (f"old  {_describe_facts(file.old_facts)}", "removed"),
            (f"new  {_describe_facts(file.new_facts)}", "added"),
        ]
    return []


def _describe_facts(facts: BlobFacts | None) -> str:
    return "absent" if facts is None else f"{plural(facts.size, 'byte')}, sha256 {facts.sha256}"


def _list_doors(file: ShownFile, *, folded: bool) -> list[HeadRow]:
    if folded:
        words = f" ⋯ a lock file, folded: {plural(len(file.lines), 'line')} (↵ shows them)"
        return [HeadRow((Cell(words, "accent"),), EXPAND)]
    if file.kind is FileKind.BINARY and file.complete and not file.options.as_text:
        return [HeadRow((Cell(" ⋯ binary (↵ shows it as text)", "accent"),), AS_TEXT)]
    if file.kind is FileKind.NOTEBOOK and file.complete:
        words = "as cells" if file.options.as_stored else "as stored"
        return [HeadRow((Cell(f" ⋯ a notebook (↵ shows it {words})", "accent"),), AS_STORED)]
    return []
