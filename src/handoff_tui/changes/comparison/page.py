"""How two snapshots differ, as a page: what was lost without a word first."""

from __future__ import annotations

from collections.abc import Sequence

from handoff_tui.changes.comparison.items import MOST_LISTED, NOUNS, add_more, add_named_items, add_section
from handoff_tui.changes.comparison.json import find_new_findings, find_newly_failing
from handoff_tui.changes.comparison.snapshot_diff import (
    BaselineChoice,
    ClaimCheck,
    ComparedPair,
    DiffScope,
    NotRead,
    SnapshotDiff,
)
from handoff_tui.core.short_id import SHORT_COMMIT, SHORT_DIGEST
from handoff_tui.core.text.labels import label_verdict, plural
from handoff_tui.core.text.page import Cell, Column, Page
from handoff_tui.core.text.safe_text import render_safe
from handoff_tui.handoffs.claim import VerdictState

_SCOPES = {
    DiffScope.SINCE_BASELINE: "since the baseline",
    DiffScope.SINCE_MY_REVIEW: "since your last review",
    DiffScope.SINCE_PREVIOUS_ATTEMPT: "since the previous attempt",
    DiffScope.BETWEEN: "between two moments",
    DiffScope.SINCE_SHOWN: "since you were about to decide",
}
_PLURALS = {
    "claim that does not agree": "claims that do not agree",
    "new ownership clash": "new ownership clashes",
    "dependency": "dependencies",
}
_AGREEMENT = {True: VerdictState.HOLDS, False: VerdictState.CONTRADICTED, None: VerdictState.UNVERIFIED}
_ADVICE = "compare with something else: --against SNAPSHOT or COMMIT; `baseline capture` stores what is here for later"


def build_snapshot_diff_page(
    diff: SnapshotDiff | None,
    pair: ComparedPair,
    claims: tuple[ClaimCheck, ...] = (),
    files: int | None = None,
    *,
    everything: bool = False,
) -> Page:
    """The sum, what it is compared with and why, then worst first. Without a baseline nothing is called new.

    `files` is the number of files that differ; nothing where that is not known.
    """
    page = Page()
    if diff is None:
        _add_missing_record(page, pair)
        add_pair(page, pair)
        if not pair.comparable:
            page.line(Cell(_ADVICE, "muted"))
        _add_claims(page, "Claims beside measurements", claims, everything=everything)
        return page
    _add_sum(page, diff, files)
    add_pair(page, pair)
    for note in diff.notes:
        page.line(Cell("! ", "warning"), Cell(render_safe(note)), indent=2)
    _add_losses(page, diff, everything=everything)
    _add_failures(page, diff, everything=everything)
    _add_clashes(page, diff, everything=everything)
    disputed = tuple(check for check in diff.claims if check.agrees is False)
    _add_claims(page, "Claims that do not agree", disputed, everything=everything)
    _add_sections(page, diff, everything=everything)
    rest = tuple(check for check in diff.claims if check.agrees is not False)
    _add_claims(page, "Other claimed numbers", rest, everything=everything)
    _add_unread(page, diff.unread, everything=everything)
    return page


def add_pair(page: Page, pair: ComparedPair) -> None:
    """What is compared with what, and why with that."""
    is_named = pair.scope is DiffScope.BETWEEN and pair.after is None
    page.line(Cell("since what you named" if is_named else _SCOPES[pair.scope], "muted"))
    page.line(Cell(f"{'before':<9}", "muted"), *_describe_choice(pair.before), indent=9)
    if pair.after is None:
        page.line(Cell(f"{'now':<9}", "muted"), Cell("the work tree as it is"), indent=9)
    else:
        page.line(Cell(f"{'after':<9}", "muted"), *_describe_choice(pair.after), indent=9)


def _add_missing_record(page: Page, pair: ComparedPair) -> None:
    if pair.comparable:
        what = "what you were shown" if pair.before.tree else "that commit"
        page.line(Cell("? no snapshot  ", "warning"), Cell(f"of {what} only the files can be compared", "heading"))
    else:
        page.line(Cell("? no baseline  ", "warning"), Cell("what is new and what is gone cannot be said", "heading"))


def _add_sum(page: Page, diff: SnapshotDiff, files: int | None) -> None:
    worst = [
        (len(diff.unexplained), "unexplained drop"),
        (len(find_newly_failing(diff)), "new failure"),
        (len(find_new_findings(diff)), "new finding"),
        (len([clash for clash in diff.clashes if not clash.known]), "new ownership clash"),
        (len([check for check in diff.claims if check.agrees is False]), "claim that does not agree"),
    ]
    told = [_inflect(number, noun) for number, noun in worst if number]
    if told:
        page.line(Cell("✗ ", "fail"), Cell(", ".join(told), "heading"))
    elif any(section.items for section in diff.sections.values()):
        page.line(Cell("✓ ", "pass"), Cell("nothing was lost or broke without a word", "heading"))
    elif files:
        page.line(Cell("✓ ", "pass"), Cell("nothing differs but the content of files", "heading"))
    else:
        page.line(Cell("· ", "muted"), Cell("nothing differs", "heading"))


def _inflect(number: int, noun: str) -> str:
    return f"{number:,} {_PLURALS[noun]}" if number != 1 and noun in _PLURALS else plural(number, noun)


def _describe_choice(choice: BaselineChoice) -> tuple[Cell, ...]:
    names: list[str] = []
    if choice.snapshot:
        names.append(f"snapshot {choice.snapshot[:SHORT_DIGEST]}")
    if choice.commit:
        names.append(f"commit {choice.commit[:SHORT_COMMIT]}")
    if choice.tree:
        names.append(f"files {choice.tree[:SHORT_COMMIT]}")
    reason = Cell(render_safe(choice.reason), "muted" if names else "warning")
    return (Cell(f"{render_safe(', '.join(names))}  ", "key"), reason) if names else (reason,)


def _add_losses(page: Page, diff: SnapshotDiff, *, everything: bool) -> None:
    lost = [
        (name, item) for name, section in diff.sections.items() for item in section.items if item.explained is False
    ]
    if lost:
        page.heading("UNEXPLAINED DROPS", f"{len(lost):,}; no handoff says that these were dropped")
        add_named_items(page, lost, everything=everything)


def _add_failures(page: Page, diff: SnapshotDiff, *, everything: bool) -> None:
    failing = find_newly_failing(diff)
    if failing:
        known = diff.tests.before_total or not any(name == "tests" for name, _ in failing)
        page.heading("NEW FAILURES" if known else "FAILING HERE", f"{len(failing):,}")
        add_named_items(page, failing, everything=everything)


def _add_clashes(page: Page, diff: SnapshotDiff, *, everything: bool) -> None:
    if not diff.clashes:
        return
    page.heading("FILES THAT TWO PACKAGES OWN", f"{len(diff.clashes):,}")
    ordered = sorted(diff.clashes, key=lambda clash: clash.known)
    for clash in ordered if everything else ordered[:MOST_LISTED]:
        since = "as before" if clash.known else "new"
        owners = render_safe(", ".join(clash.owners))
        page.line(Cell(render_safe(clash.path), "path"), Cell(f"  {owners}"), Cell(f"  {since}", "muted"), indent=2)
    add_more(page, 0 if everything else len(ordered) - MOST_LISTED)


def _add_claims(page: Page, title: str, claims: Sequence[ClaimCheck], *, everything: bool) -> None:
    """Those that could be compared, or say less than before; the others are a number unless all are asked for."""
    told = [check for check in claims if everything or check.agrees is not None or _says_less(check)]
    if told:
        page.heading(title, f"{len(told):,}")
        listed = told if everything else told[:MOST_LISTED]
        columns = (Column("verdict"), Column("handoff"), Column("claim beside measurement", fold=True))
        page.grid(columns, [_build_claim_row(check) for check in listed])
        add_more(page, len(told) - len(listed))
    if len(told) < len(claims):
        page.blank()
        words = f"{plural(len(claims) - len(told), 'claimed number')} could not be compared; --all shows them"
        page.line(Cell(words, "muted"))


def _says_less(check: ClaimCheck) -> bool:
    """Whether a document claims less than the one before it; fewer failures and skips are no loss."""
    lower = check.previous is not None and check.claimed < check.previous
    return lower and not check.what.endswith((".failed", ".skipped"))


def _build_claim_row(check: ClaimCheck) -> tuple[Cell, ...]:
    label = label_verdict(_AGREEMENT[check.agrees])
    text = f"{render_safe(check.text)}  ({render_safe(check.where)})"
    return Cell(str(label), label.role), Cell(render_safe(check.handoff), "key"), Cell(text)


def _add_sections(page: Page, diff: SnapshotDiff, *, everything: bool) -> None:
    """What differs, kind by kind; kinds in which nothing does are one line together."""
    failing = {(name, item.id) for name, item in find_newly_failing(diff)}
    same: list[str] = []
    for name, section in diff.sections.items():
        if section.items:
            shown = {item.id for item in section.items if item.explained is False or (name, item.id) in failing}
            add_section(page, name, section, shown, everything=everything)
        elif section.after_total:
            same.append(_inflect(section.after_total, NOUNS[name]))
    if same:
        page.blank()
        page.line(Cell(f"the same as before: {', '.join(same)}", "muted"))


def _add_unread(page: Page, unread: Sequence[NotRead], *, everything: bool) -> None:
    if not unread:
        return
    page.heading("Not read", f"{len(unread):,}")
    for one in unread if everything else unread[:MOST_LISTED]:
        where = "here and in the baseline" if one.in_before and one.in_after else "here" if one.in_after else "before"
        reason = f"  {render_safe(one.reason)}"
        page.line(Cell(render_safe(one.path), "path"), Cell(reason), Cell(f"  {where}", "muted"), indent=2)
    add_more(page, 0 if everything else len(unread) - MOST_LISTED)
