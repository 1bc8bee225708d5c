"""How two snapshots differ, as a page: what was lost without a word first."""

from __future__ import annotations

from collections.abc import Sequence

from handoff_tui.models.claim import VerdictState
from handoff_tui.models.snapshot_diff import (
    BaselineChoice,
    Change,
    ClaimCheck,
    ComparedPair,
    DiffScope,
    Item,
    Section,
    SnapshotDiff,
)
from handoff_tui.presentation.labels import label_difference, label_verdict, plural
from handoff_tui.presentation.measures import name_measure, render_measure
from handoff_tui.presentation.page import Cell, Column, Page
from handoff_tui.presentation.safe_text import render_safe
from handoff_tui.presentation.snapshot_diff import count_changes, find_newly_failing

_MOST_LISTED = 8
_LONGEST_VALUE = 160
_SHORT_DIGEST = 12
_SHORT_COMMIT = 7
_SINGULAR = {
    "tests": "test",
    "checks": "check",
    "findings": "finding",
    "packages": "package",
    "dependencies": "dependency",
    "files": "declared file",
    "measures": "measure",
}
_TITLES = {"files": "Declared files"}
_SCOPES = {
    DiffScope.SINCE_BASELINE: "since the baseline",
    DiffScope.SINCE_MY_REVIEW: "since your last review",
    DiffScope.SINCE_PREVIOUS_ATTEMPT: "since the previous attempt",
    DiffScope.BETWEEN: "between two moments",
}
_AGREEMENT = {True: VerdictState.HOLDS, False: VerdictState.CONTRADICTED, None: VerdictState.UNVERIFIED}


def build_snapshot_diff_page(
    diff: SnapshotDiff | None, pair: ComparedPair, claims: tuple[ClaimCheck, ...] = (), *, everything: bool = False
) -> Page:
    """The sum, what it is compared with and why, then worst first. Without a baseline nothing is called new."""
    page = Page()
    if diff is None:
        _add_missing_record(page, pair)
        _add_pair(page, pair)
        compared = tuple(check for check in claims if everything or check.agrees is not None)
        _add_claims(page, "Claims beside measurements", compared, everything=everything)
        _add_uncompared(page, len(claims) - len(compared))
        return page
    _add_sum(page, diff)
    _add_pair(page, pair)
    for note in diff.notes if everything else diff.notes[:_MOST_LISTED]:
        page.line(Cell("! ", "warning"), Cell(render_safe(note)), indent=2)
    _add_more(page, 0 if everything else len(diff.notes) - _MOST_LISTED)
    _add_losses(page, diff, everything=everything)
    _add_failures(page, diff, everything=everything)
    _add_clashes(page, diff, everything=everything)
    disputed = tuple(check for check in diff.claims if check.agrees is False)
    _add_claims(page, "Claims that do not agree", disputed, everything=everything)
    failing = {(name, item.id) for name, item in find_newly_failing(diff)}
    for name, section in diff.sections.items():
        shown = {item.id for item in section.items if item.explained is False or (name, item.id) in failing}
        _add_section(page, name, section, shown, everything=everything)
    rest = tuple(check for check in diff.claims if check.agrees is not False)
    _add_claims(page, "Other claimed numbers", rest, everything=everything)
    return page


def _add_missing_record(page: Page, pair: ComparedPair) -> None:
    if pair.comparable:
        page.line(Cell("? no snapshot  ", "warning"), Cell("of that commit only the files can be compared", "heading"))
    else:
        page.line(Cell("? no baseline  ", "warning"), Cell("what is new and what is gone cannot be said", "heading"))


def _add_uncompared(page: Page, number: int) -> None:
    if number:
        page.blank()
        words = f"{plural(number, 'claimed number')} could not be compared; --all shows them"
        page.line(Cell(words, "muted"))


def _add_sum(page: Page, diff: SnapshotDiff) -> None:
    worst = [
        (len(diff.unexplained), "unexplained drop"),
        (len(find_newly_failing(diff)), "new failure"),
        (len([clash for clash in diff.clashes if not clash.known]), "new ownership clash"),
        (len([check for check in diff.claims if check.agrees is False]), "claim that does not agree"),
    ]
    told = [_inflect(number, noun) for number, noun in worst if number]
    if told:
        page.line(Cell("✗ ", "fail"), Cell(", ".join(told), "heading"))
    elif any(section.items for section in diff.sections.values()):
        page.line(Cell("✓ ", "pass"), Cell("nothing was lost or broke without a word", "heading"))
    else:
        page.line(Cell("· ", "muted"), Cell("nothing differs", "heading"))


def _inflect(number: int, noun: str) -> str:
    words = {"claim that does not agree": "claims that do not agree", "new ownership clash": "new ownership clashes"}
    return f"{number:,} {words[noun]}" if number != 1 and noun in words else plural(number, noun)


def _add_pair(page: Page, pair: ComparedPair) -> None:
    page.line(Cell(_SCOPES[pair.scope], "muted"))
    page.line(Cell(f"{'before':<9}", "muted"), *_describe_choice(pair.before), indent=9)
    if pair.after is None:
        page.line(Cell(f"{'now':<9}", "muted"), Cell("the work tree as it is"), indent=9)
    else:
        page.line(Cell(f"{'after':<9}", "muted"), *_describe_choice(pair.after), indent=9)


def _describe_choice(choice: BaselineChoice) -> tuple[Cell, ...]:
    names: list[str] = []
    if choice.snapshot:
        names.append(f"snapshot {choice.snapshot[:_SHORT_DIGEST]}")
    if choice.commit:
        names.append(f"commit {choice.commit[:_SHORT_COMMIT]}")
    reason = Cell(render_safe(choice.reason), "muted" if names else "warning")
    return (Cell(f"{render_safe(', '.join(names))}  ", "key"), reason) if names else (reason,)


def _add_losses(page: Page, diff: SnapshotDiff, *, everything: bool) -> None:
    lost = [
        (name, item) for name, section in diff.sections.items() for item in section.items if item.explained is False
    ]
    if lost:
        page.heading("UNEXPLAINED DROPS", f"{len(lost):,}; no handoff says that these were dropped")
        _add_named_items(page, lost, everything=everything)


def _add_failures(page: Page, diff: SnapshotDiff, *, everything: bool) -> None:
    failing = find_newly_failing(diff)
    if failing:
        known = diff.tests.before_total or not any(name == "tests" for name, _ in failing)
        page.heading("NEW FAILURES" if known else "FAILING HERE", f"{len(failing):,}")
        _add_named_items(page, failing, everything=everything)


def _add_named_items(page: Page, items: Sequence[tuple[str, Item]], *, everything: bool) -> None:
    for name, item in items if everything else items[:_MOST_LISTED]:
        _add_item(page, name, item, f"{_SINGULAR[name]} ")
    _add_more(page, 0 if everything else len(items) - _MOST_LISTED)


def _add_clashes(page: Page, diff: SnapshotDiff, *, everything: bool) -> None:
    if not diff.clashes:
        return
    page.heading("FILES THAT TWO PACKAGES OWN", f"{len(diff.clashes):,}")
    ordered = sorted(diff.clashes, key=lambda clash: clash.known)
    for clash in ordered if everything else ordered[:_MOST_LISTED]:
        since = "as before" if clash.known else "new"
        owners = render_safe(", ".join(clash.owners))
        page.line(Cell(render_safe(clash.path), "path"), Cell(f"  {owners}"), Cell(f"  {since}", "muted"), indent=2)
    _add_more(page, 0 if everything else len(ordered) - _MOST_LISTED)


def _add_claims(page: Page, title: str, claims: tuple[ClaimCheck, ...], *, everything: bool) -> None:
    if not claims:
        return
    page.heading(title, f"{len(claims):,}")
    listed = claims if everything else claims[:_MOST_LISTED]
    columns = (Column("verdict"), Column("handoff"), Column("claim beside measurement", fold=True))
    page.grid(columns, [_build_claim_row(check) for check in listed])
    _add_more(page, len(claims) - len(listed))


def _build_claim_row(check: ClaimCheck) -> tuple[Cell, ...]:
    label = label_verdict(_AGREEMENT[check.agrees])
    text = f"{render_safe(check.text)}  ({render_safe(check.where)})"
    return Cell(str(label), label.role), Cell(render_safe(check.handoff), "key"), Cell(text)


def _add_section(page: Page, name: str, section: Section, shown: set[str], *, everything: bool) -> None:
    """The number of each change; of the items, those that do not stand above already."""
    if not section.before_total and not section.after_total:
        return
    title = _TITLES.get(name, name.capitalize())
    page.heading(title, _describe_totals(section))
    if not section.before_total and name == "tests":
        page.line(Cell(f"{plural(section.after_total, 'test')} here; the baseline holds none by id", "muted"), indent=2)
        return
    for change, number in count_changes(section).items():
        items = [item for item in section.items if item.change == change and item.id not in shown]
        label = label_difference(change)
        above = f", {number - len(items):,} of them above" if len(items) < number else ""
        page.line(Cell(f"{label}  ", label.role), Cell(f"{number:,}{above}", "muted"), indent=2)
        for item in items if everything else items[:_MOST_LISTED]:
            _add_item(page, name, item, "  ")
        _add_more(page, 0 if everything else len(items) - _MOST_LISTED)


def _describe_totals(section: Section) -> str:
    return f"{section.before_total:,} before, {section.after_total:,} now, {section.unchanged:,} unchanged"


def _add_item(page: Page, name: str, item: Item, lead: str) -> None:
    label = label_difference(item.change)
    cells = [Cell(lead, "muted"), Cell(f"{label.glyph} ", label.role)]
    if lead.strip():
        cells = [Cell(f"{label}  ", label.role), Cell(lead, "muted")]
    cells.append(Cell(render_safe(_name(name, item), _LONGEST_VALUE), "path" if name == "files" else "key"))
    details = [text for text in (_describe_values(name, item), item.note, _describe_reason(item)) if text]
    cells.append(Cell(f"  {render_safe(' · '.join(details), _LONGEST_VALUE * 2)}" if details else "", "muted"))
    page.line(*cells, indent=4)


def _name(name: str, item: Item) -> str:
    if name == "findings":
        return item.after or item.before or item.id
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
        return value.removeprefix("sha256:")[:_SHORT_DIGEST]
    if name == "measures":
        return render_measure(identifier, int(value))
    return value or {"packages": "no version", "dependencies": "any version"}.get(name, "nothing")


def _describe_reason(item: Item) -> str:
    return f"explained at {item.explanation}" if item.explanation is not None else ""


def _add_more(page: Page, number: int) -> None:
    if number > 0:
        page.line(Cell(f"… and {number:,} more; --all shows them", "muted"), indent=4)
