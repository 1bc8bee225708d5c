"""What stands around the lines of a diff: the comparison in short, the file's title, warnings above it, the status."""

from __future__ import annotations

from handoff_tui.changes.comparison.page import build_snapshot_diff_page
from handoff_tui.changes.comparison.snapshot_diff import BaselineChoice, ComparedPair, DiffScope
from handoff_tui.changes.files.file_kinds import find_change_notices
from handoff_tui.changes.files.page import label_change
from handoff_tui.changes.files.shown_file import ShownFile
from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.short_id import SHORT_COMMIT, SHORT_DIGEST
from handoff_tui.core.text.columns import compute_width
from handoff_tui.core.text.labels import plural
from handoff_tui.core.text.page import Cell, Line, Page
from handoff_tui.core.text.page_layout import wrap_words
from handoff_tui.core.text.safe_text import find_hidden, render_safe
from handoff_tui.git.file_diff import FOLDED_KINDS, BlobFacts, ChangedFile, FileChange, FileKind, LineCounts, Whitespace
from handoff_tui.live.state.app import AppState, DifferenceView, Loaded
from handoff_tui.tui.views.changes.file_rows import count_read, label_read, shorten_path

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


Row = tuple[Cell, ...]
SCOPE_WORDS = {
    DiffScope.SINCE_BASELINE: "baseline",
    DiffScope.SINCE_MY_REVIEW: "my last review",
    DiffScope.SINCE_PREVIOUS_ATTEMPT: "previous attempt",
    DiffScope.BETWEEN: "between",
    DiffScope.BETWEEN_ATTEMPTS: "attempts",
    DiffScope.OWN: "own",
    DiffScope.SINCE_SHOWN: "shown",
}
_MOST_ITEMS = 2_000
"""A snapshot diff with more items is cut, as on the command line."""


class Shown(NamedTuple):
    """How the current file is shown."""

    split: bool = False
    wanted: str = "auto"
    """The requested mode: `auto`, `unified` or `split`."""
    width: int = 80
    wrap: bool = False
    whitespace: Whitespace = Whitespace.ALL
    context: int | None = 3
    change: int = 0
    """The number of the change at or before the cursor, out of `changes`."""
    changes: int = 0
    reading: bool = False


def build_record_page(loaded: Loaded[DifferenceView], files: int | None) -> Page:
    """Shows the snapshot diff in full, or why there is none."""
    page = Page()
    if loaded.trouble is not None:
        page.line(Cell(f"✗ {render_safe(loaded.trouble.message)}", "fail"))
        page.line(Cell(render_safe(loaded.trouble.hint), "muted"))
    if loaded.value is not None:
        value = loaded.value
        sections = value.record.sections.values() if value.record else ()
        few = sum(len(section.items) for section in sections) <= _MOST_ITEMS
        found = build_snapshot_diff_page(value.record, value.pair, value.claims, files, everything=few)
        page.parts += found.parts
        for note in value.notes:
            page.warn(note)
    elif loaded.trouble is None:
        page.line(Cell("Comparing tests, packages, checks and findings…", "muted"))
    return page


def build_record_sum(loaded: Loaded[DifferenceView], files: int | None, key: str) -> Row:
    """Shows the first line of the snapshot diff, and how to see the rest."""
    if loaded.trouble is None and loaded.value is not None and _says_nothing(loaded.value):
        return ()
    first = next((part for part in build_record_page(loaded, files).parts if isinstance(part, Line)), None)
    cells = first.cells if first is not None else ()
    stale = (Cell("  (older than the files; reading again)", "warning"),) if loaded.stale and loaded.value else ()
    return (Cell(" compared  ", "muted"), *cells, *stale, Cell(f"  {key} shows it" if key else "", "muted"))


def _says_nothing(value: DifferenceView) -> bool:
    """Whether only the files of the handoff can be compared, which is what is shown anyway."""
    return value.record is None and value.pair.scope is DiffScope.OWN and value.pair.comparable and not value.notes


def build_pair(pair: ComparedPair) -> str:
    """Says in short what is compared with what."""
    after = "now" if pair.after is None else _name(pair.after)
    before = _name(pair.before)
    return (
        f"{SCOPE_WORDS[pair.scope]} {before} → {after}"
        if pair.scope is not DiffScope.BETWEEN
        else f"{before} → {after}"
    )


def build_file_title(
    change: FileChange,
    counts: LineCounts | None,
    place: tuple[int, int],
    pair: ComparedPair | None,
    *,
    read: bool,
    width: int,
) -> Row:
    """Shows name, change and counts on the left; on the right whether it was read, and its position in the list."""
    label, status = label_read(read=read), label_change(change.status)
    right = (Cell(f"{label}", label.role), Cell(f"  {place[0]}/{place[1]} ", "muted"))
    known = counts is not None and counts.added is not None
    numbers = f"+{counts.added:,} -{counts.deleted:,}".removesuffix(" -0") if counts is not None and known else ""
    middle = f"  {status.word}  {numbers}"
    compared = build_pair(pair) if pair is not None else ""
    taken = sum(compute_width(cell.text) for cell in right) + compute_width(middle) + 1
    room = width - taken
    name = render_safe(change.path)
    shows_pair = compute_width(name) + compute_width(compared) + 4 <= room
    name = shorten_path(name, max(8, room - 2))
    gap = room - compute_width(name) - (compute_width(compared) + 2 if shows_pair else 0)
    return (
        Cell(f" {name}", "heading"),
        Cell(middle, status.role),
        Cell(" " * max(1, gap)),
        Cell(f"{compared}  " if shows_pair else "", "muted"),
        *right,
    )


def build_status(state: AppState, place: tuple[int, int], shown: Shown) -> Row:
    """Says how the file is shown, what is unusual about it, where the cursor is, and how much has been read."""
    files: tuple[ChangedFile, ...] = state.files.value.files if state.files.value else ()
    words = [
        text
        for text, wanted in (
            ("wrapped", shown.wrap),
            (f"whitespace: {shown.whitespace}", shown.whitespace is not Whitespace.ALL),
            ("whole file" if shown.context is None else f"context {shown.context}", shown.context != 3),  # noqa: PLR2004 - as usual
            ("reading…", shown.reading),
            (f"{count_read(files, state.drafts.viewed)} of {len(files)} files read", place[1] > 0),
            (f"change {shown.change:,} of {shown.changes:,}", shown.changes > 0),
            (f"your drafts: {plural(len(state.drafts.comments), 'comment')}", bool(state.drafts.comments)),
        )
        if wanted
    ]
    rest = "".join(f" · {word}" for word in words)
    long, short = _describe_mode(shown), "side by side" if shown.split else "unified"
    return (Cell(f" {long if len(long) + len(rest) < shown.width else short}{rest}", "muted"),)


def _describe_mode(shown: Shown) -> str:
    if shown.split:
        return "side by side"
    if shown.wanted != "unified":
        return "unified (split needs 100 columns)" if shown.width < 100 else "unified"  # noqa: PLR2004 - said in words
    return "unified"


def _name(choice: BaselineChoice) -> str:
    if choice.commit is not None:
        return choice.commit[:SHORT_COMMIT]
    name = choice.snapshot or choice.tree
    return name[:SHORT_DIGEST] if name is not None else "nothing"
