"""The things that differ between two snapshots, as lines: each with what became of it, long lists cut or grouped."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence

from handoff_tui.changes.comparison.json import FAILING, count_changes
from handoff_tui.changes.comparison.measure_words import name_measure, render_measure
from handoff_tui.changes.comparison.snapshot_diff import Change, Item, Section
from handoff_tui.core.short_id import SHORT_DIGEST
from handoff_tui.core.text.labels import Label, label_difference, plural
from handoff_tui.core.text.page import Cell, Page
from handoff_tui.core.text.safe_text import render_safe

MOST_LISTED = 8
NOUNS = {
    "tests": "test",
    "checks": "check",
    "findings": "finding",
    "packages": "package",
    "dependencies": "dependency",
    "files": "declared file",
    "measures": "measure",
}
"""One thing of each section."""
_TITLES = {"files": "Declared files"}
_NEW_FINDING = Label("✗", "new", "fail")
_NEW_FAILURE = Label("✗", "new and failing", "fail")
_LONGEST_VALUE = 160
_INDENT = "    "
_LONG_HASH = re.compile(rf"\b([0-9a-f]{{{SHORT_DIGEST}}})[0-9a-f]{{28,52}}\b")


def add_named_items(page: Page, items: Sequence[tuple[str, Item]], *, everything: bool) -> None:
    """Things of several sections, each with the noun of its own."""
    for name, item in items if everything else items[:MOST_LISTED]:
        label = _label(name, item)
        page.line(Cell(f"{label}  ", label.role), Cell(f"{NOUNS[name]} ", "muted"), *_build_cells(name, item), indent=4)
    add_more(page, 0 if everything else len(items) - MOST_LISTED)


def add_section(page: Page, name: str, section: Section, shown: set[str], *, everything: bool) -> None:
    """The number of each change; of the items, those that are not `shown` above already."""
    page.heading(_TITLES.get(name, name.capitalize()), _describe_totals(section))
    if not section.before_total and name == "tests":
        page.line(Cell(f"{plural(section.after_total, 'test')} here; the baseline holds none by id", "muted"), indent=2)
        return
    for change, number in count_changes(section).items():
        items = [item for item in section.items if item.change == change and item.id not in shown]
        label = _NEW_FINDING if name == "findings" and change == Change.NEW else label_difference(change)
        above = f", {number - len(items):,} of them above" if len(items) < number else ""
        page.line(Cell(f"{label}  ", label.role), Cell(f"{number:,}{above}", "muted"), indent=2)
        if name == "findings" and not everything:
            _add_groups(page, items)
        else:
            _add_items(page, name, items, everything=everything)


def add_more(page: Page, number: int) -> None:
    if number > 0:
        page.line(Cell(f"{_INDENT}… and {number:,} more; --all shows them", "muted"))


def shorten_hashes(text: str) -> str:
    """Only the beginning of a long hash, which is all that a reader compares."""
    return _LONG_HASH.sub(r"\1…", text)


def _add_items(page: Page, name: str, items: list[Item], *, everything: bool) -> None:
    if name == "findings":
        items = sorted(items, key=_tell_finding)
    for item in items if everything else items[:MOST_LISTED]:
        _add_item(page, name, item)
    add_more(page, 0 if everything else len(items) - MOST_LISTED)


def _add_groups(page: Page, items: list[Item]) -> None:
    """Findings by their check, the check with the most first; of each the first, and how many more there are."""
    groups: defaultdict[str, list[Item]] = defaultdict(list)
    for item in sorted(items, key=_tell_finding):
        groups[_tell_finding(item).partition(":")[0]].append(item)
    ordered = sorted(groups, key=lambda check: (-len(groups[check]), check))
    for check in ordered[:MOST_LISTED]:
        first, *rest = groups[check]
        _add_item(page, "findings", first, f"  and {len(rest):,} more" if rest else "")
    add_more(page, sum(len(groups[check]) for check in ordered[MOST_LISTED:]))


def _add_item(page: Page, name: str, item: Item, rest: str = "") -> None:
    label = _label(name, item)
    mark = Cell(f"{_INDENT}{label.glyph} ", label.role)
    page.line(mark, *_build_cells(name, item), Cell(rest, "muted"), indent=6)


def _label(name: str, item: Item) -> Label:
    """What is new is good news only where it does not fail."""
    if item.change is not Change.NEW:
        return label_difference(item.change)
    if name == "findings":
        return _NEW_FINDING
    return _NEW_FAILURE if name in {"tests", "checks"} and item.after in FAILING else label_difference(item.change)


def _build_cells(name: str, item: Item) -> tuple[Cell, Cell]:
    """What it is called, and what there is to say of it."""
    details = [text for text in (_describe_values(name, item), item.note, _describe_reason(item)) if text]
    return (
        Cell(render_safe(_name(name, item), _LONGEST_VALUE), "path" if name == "files" else "key"),
        Cell(f"  {render_safe(' · '.join(details), _LONGEST_VALUE * 2)}" if details else "", "muted"),
    )


def _describe_totals(section: Section) -> str:
    return f"{section.before_total:,} before, {section.after_total:,} now, {section.unchanged:,} unchanged"


def _tell_finding(item: Item) -> str:
    return item.after or item.before or item.id


def _name(name: str, item: Item) -> str:
    if name == "findings":
        return shorten_hashes(_tell_finding(item))
    return name_measure(item.id) if name == "measures" else item.id


def _describe_values(name: str, item: Item) -> str:
    former = f"formerly {item.old_id}" if item.old_id else ""
    if name == "findings" or item.change is Change.RENAMED:
        return former
    before, after = (_render_value(name, item.id, value) for value in (item.before, item.after))
    both = before is not None and after is not None
    values = f"{before} → {after}" if both else f"was {before}" if before is not None else str(after)
    return f"{values}, {former}" if former else values


def _render_value(name: str, identifier: str, value: str | None) -> str | None:
    if value is None:
        return None
    if name == "files":
        return value.removeprefix("sha256:")[:SHORT_DIGEST]
    if name == "measures":
        return render_measure(identifier, int(value))
    return value or {"packages": "no version", "dependencies": "any version"}.get(name, "nothing")


def _describe_reason(item: Item) -> str:
    return f"explained at {item.explanation}" if item.explanation is not None else ""
