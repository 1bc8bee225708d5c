"""A snapshot comparison as a page: unexplained losses first."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

from handoff_tui.changes.comparison import snapshot_diff
from handoff_tui.changes.comparison.compare import FAILING
from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.core.short_id import SHORT_COMMIT, SHORT_DIGEST
from handoff_tui.core.text.labels import Label, label_difference, label_verdict, plural
from handoff_tui.core.text.page import Cell, Column, Page
from handoff_tui.core.text.safe_text import render_safe
from handoff_tui.handoffs.claim import VerdictState

SCHEMA = "handoff-tui/snapshot-diff/v1"


def build_snapshot_diff_json(
    diff: snapshot_diff.SnapshotDiff | None,
    pair: snapshot_diff.ComparedPair,
    claims: tuple[snapshot_diff.ClaimCheck, ...] = (),
) -> dict[str, object]:
    """The shape promised to scripts. Without a baseline every section is null, never zero."""
    return {
        "schema": SCHEMA,
        **build_pair_json(pair),
        "unexplained": None if diff is None else len(diff.unexplained),
        "newly_failing": None if diff is None else len(find_newly_failing(diff)),
        "new_findings": None if diff is None or not diff.checks.before_total else len(find_new_findings(diff)),
        **{name: None if diff is None else build_section_json(diff.sections[name]) for name in snapshot_diff.SECTIONS},
        "clashes": None if diff is None else [clash.model_dump(mode="json") for clash in diff.clashes],
        "claims": [check.model_dump(mode="json") for check in (claims if diff is None else diff.claims)],
        "notes": [] if diff is None else list(diff.notes),
        "unread": None if diff is None else [one.model_dump(mode="json") for one in diff.unread],
    }


def build_pair_json(pair: snapshot_diff.ComparedPair) -> dict[str, object]:
    """What is compared with what, and why; `after` is null for the work tree."""
    return {
        "scope": pair.scope.value,
        "before": _build_choice(pair.before),
        "after": _build_choice(pair.after) if pair.after else None,
    }


def find_newly_failing(diff: snapshot_diff.SnapshotDiff) -> tuple[tuple[str, snapshot_diff.ComparedItem], ...]:
    """Tests and checks that fail now and didn't before, or are new and fail, with their section's name."""
    return tuple(
        (name, item)
        for name, section in (("tests", diff.tests), ("checks", diff.checks))
        for item in section.items
        if item.change is snapshot_diff.ItemChange.NEWLY_FAILING
        or (item.change is snapshot_diff.ItemChange.NEW and item.after in FAILING)
    )


def find_new_findings(diff: snapshot_diff.SnapshotDiff) -> tuple[snapshot_diff.ComparedItem, ...]:
    """New findings; a check that failed before may find more.

    None if the baseline has no check results: what is new is unknown then.
    """
    looked = diff.checks.before_total > 0
    return tuple(item for item in diff.findings.items if looked and item.change is snapshot_diff.ItemChange.NEW)


def count_changes(section: snapshot_diff.ComparedSection) -> dict[str, int]:
    """How many items have each change, in enum order; zeros are left out."""
    counted = Counter(item.change for item in section.items)
    return {change.value: counted[change] for change in snapshot_diff.ItemChange if counted[change]}


def _build_choice(choice: snapshot_diff.BaselineChoice) -> dict[str, object]:
    return {"snapshot": choice.snapshot, "commit": choice.commit, "reason": choice.reason}


def build_section_json(section: snapshot_diff.ComparedSection) -> dict[str, object]:
    """One section."""
    return {
        "before": section.before_total,
        "after": section.after_total,
        "unchanged": section.unchanged,
        "counts": count_changes(section),
        "items": [_build_item(item) for item in section.items],
    }


def _build_item(item: snapshot_diff.ComparedItem) -> dict[str, object]:
    place = item.explanation
    return item._asdict() | {"explanation": None if place is None else {"path": place.path, "line": place.line}}


_COVERAGE = "coverage_basis_points"


def name_measure(name: str) -> str:
    return "coverage" if name == _COVERAGE else name


def render_measure(name: str, value: int) -> str:
    """A measure with its unit; coverage is stored in hundredths of a percent."""
    if name != _COVERAGE:
        return f"{value:,}"
    return f"{'-' if value < 0 else ''}{abs(value) // 100:,}.{abs(value) % 100:02d} %"


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
"""The noun for one thing in each section."""
_TITLES = {"files": "Declared files"}
_NEW_FINDING = Label("✗", "new", "fail")
_NEW_FAILURE = Label("✗", "new and failing", "fail")
_LONGEST_VALUE = 160
_INDENT = "    "
_LONG_HASH = compile_later(rf"\b([0-9a-f]{{{SHORT_DIGEST}}})[0-9a-f]{{28,52}}\b")


def add_named_items(page: Page, items: Sequence[tuple[str, snapshot_diff.ComparedItem]], *, everything: bool) -> None:
    """Items of several sections, each with its noun."""
    for name, item in page.some(items, MOST_LISTED, everything=everything):
        label = _label(name, item)
        page.line(Cell(f"{label}  ", label.role), Cell(f"{NOUNS[name]} ", "muted"), *_build_cells(name, item), indent=4)


def add_section(
    page: Page, name: str, section: snapshot_diff.ComparedSection, shown: set[str], *, everything: bool
) -> None:
    """Counts by change, and the items that aren't `shown` above already."""
    page.heading(_TITLES.get(name, name.capitalize()), _describe_totals(section))
    if not section.before_total and name == "tests":
        page.line(Cell(f"{plural(section.after_total, 'test')} here; the baseline has none by id", "muted"), indent=2)
        return
    for change, number in count_changes(section).items():
        items = [item for item in section.items if item.change == change and item.id not in shown]
        label = (
            _NEW_FINDING if name == "findings" and change == snapshot_diff.ItemChange.NEW else label_difference(change)
        )
        above = f", {number - len(items):,} of them above" if len(items) < number else ""
        page.line(Cell(f"{label}  ", label.role), Cell(f"{number:,}{above}", "muted"), indent=2)
        if name == "findings" and not everything:
            _add_groups(page, items)
        else:
            _add_items(page, name, items, everything=everything)


def shorten_hashes(text: str) -> str:
    """Shortens long hashes; nobody compares more."""
    return _LONG_HASH.sub(r"\1…", text)


def _add_items(page: Page, name: str, items: list[snapshot_diff.ComparedItem], *, everything: bool) -> None:
    if name == "findings":
        items = sorted(items, key=_tell_finding)
    for item in page.some(items, MOST_LISTED, everything=everything):
        _add_item(page, name, item)


def _add_groups(page: Page, items: list[snapshot_diff.ComparedItem]) -> None:
    """Findings by check, most findings first; one of each, and how many more."""
    groups: defaultdict[str, list[snapshot_diff.ComparedItem]] = defaultdict(list)
    for item in sorted(items, key=_tell_finding):
        groups[_tell_finding(item).partition(":")[0]].append(item)
    ordered = sorted(groups, key=lambda check: (-len(groups[check]), check))
    for check in ordered[:MOST_LISTED]:
        first, *rest = groups[check]
        _add_item(page, "findings", first, f"  and {len(rest):,} more" if rest else "")
    page.more(sum(len(groups[check]) for check in ordered[MOST_LISTED:]))


def _add_item(page: Page, name: str, item: snapshot_diff.ComparedItem, rest: str = "") -> None:
    label = _label(name, item)
    mark = Cell(f"{_INDENT}{label.glyph} ", label.role)
    page.line(mark, *_build_cells(name, item), Cell(rest, "muted"), indent=6)


def _label(name: str, item: snapshot_diff.ComparedItem) -> Label:
    """New is only good news if it doesn't fail."""
    if item.change is not snapshot_diff.ItemChange.NEW:
        return label_difference(item.change)
    if name == "findings":
        return _NEW_FINDING
    return _NEW_FAILURE if name in {"tests", "checks"} and item.after in FAILING else label_difference(item.change)


def _build_cells(name: str, item: snapshot_diff.ComparedItem) -> tuple[Cell, Cell]:
    """Its name, and details."""
    details = [text for text in (_describe_values(name, item), item.note, _describe_reason(item)) if text]
    return (
        Cell(render_safe(_name(name, item), _LONGEST_VALUE), "path" if name == "files" else "key"),
        Cell(f"  {render_safe(' · '.join(details), _LONGEST_VALUE * 2)}" if details else "", "muted"),
    )


def _describe_totals(section: snapshot_diff.ComparedSection) -> str:
    return f"{section.before_total:,} before, {section.after_total:,} now, {section.unchanged:,} unchanged"


def _tell_finding(item: snapshot_diff.ComparedItem) -> str:
    return item.after or item.before or item.id


def _name(name: str, item: snapshot_diff.ComparedItem) -> str:
    if name == "findings":
        return shorten_hashes(_tell_finding(item))
    return name_measure(item.id) if name == "measures" else item.id


def _describe_values(name: str, item: snapshot_diff.ComparedItem) -> str:
    former = f"formerly {item.old_id}" if item.old_id else ""
    if name == "findings" or item.change is snapshot_diff.ItemChange.RENAMED:
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


def _describe_reason(item: snapshot_diff.ComparedItem) -> str:
    return f"explained at {item.explanation}" if item.explanation is not None else ""


_SCOPES = {
    snapshot_diff.DiffScope.SINCE_BASELINE: "since the baseline",
    snapshot_diff.DiffScope.SINCE_MY_REVIEW: "since your last review",
    snapshot_diff.DiffScope.SINCE_PREVIOUS_ATTEMPT: "since the previous attempt",
    snapshot_diff.DiffScope.BETWEEN: "between two points",
    snapshot_diff.DiffScope.BETWEEN_ATTEMPTS: "between two attempts",
    snapshot_diff.DiffScope.OWN: "the handoff's own changes",
    snapshot_diff.DiffScope.SINCE_SHOWN: "since you were about to decide",
}
_AGREEMENT = {True: VerdictState.HOLDS, False: VerdictState.CONTRADICTED, None: VerdictState.UNVERIFIED}
_ADVICE = "compare with something else: --against SNAPSHOT or COMMIT; `baseline capture` stores what is here for later"


def build_snapshot_diff_page(
    diff: snapshot_diff.SnapshotDiff | None,
    pair: snapshot_diff.ComparedPair,
    claims: tuple[snapshot_diff.ClaimCheck, ...] = (),
    files: int | None = None,
    *,
    everything: bool = False,
) -> Page:
    """The summary, what it is compared with and why, then the worst first. Without a baseline nothing counts as new.

    `files` is the number of files that differ; None if unknown.
    """
    page = Page()
    if diff is None:
        _add_missing_record(page, pair)
        add_pair(page, pair)
        if not pair.comparable:
            page.line(Cell(_ADVICE, "muted"))
        _add_claims(page, "Claims and measurements", claims, everything=everything)
        return page
    _add_sum(page, diff, files)
    add_pair(page, pair)
    for note in diff.notes:
        page.warn(note)
    _add_losses(page, diff, everything=everything)
    _add_failures(page, diff, everything=everything)
    _add_clashes(page, diff, everything=everything)
    disputed = tuple(check for check in diff.claims if check.agrees is False)
    _add_claims(page, "False claims", disputed, everything=everything)
    _add_sections(page, diff, everything=everything)
    rest = tuple(check for check in diff.claims if check.agrees is not False)
    _add_claims(page, "Other claimed numbers", rest, everything=everything)
    _add_unread(page, diff.unread, everything=everything)
    return page


def add_pair(page: Page, pair: snapshot_diff.ComparedPair) -> None:
    """What is compared with what, and why."""
    is_named = pair.scope is snapshot_diff.DiffScope.BETWEEN and pair.after is None
    page.line(Cell("since what you named" if is_named else _SCOPES[pair.scope], "muted"))
    page.line(Cell(f"{'before':<9}", "muted"), *_describe_choice(pair.before), indent=9)
    if pair.after is None:
        page.line(Cell(f"{'now':<9}", "muted"), Cell("the work tree"), indent=9)
    else:
        page.line(Cell(f"{'after':<9}", "muted"), *_describe_choice(pair.after), indent=9)


def _add_missing_record(page: Page, pair: snapshot_diff.ComparedPair) -> None:
    if pair.comparable:
        own = "this handoff" if pair.scope is snapshot_diff.DiffScope.OWN else "what you were shown"
        what = own if pair.before.tree else "that commit"
        page.line(Cell("? no snapshot  ", "warning"), Cell(f"only the files of {what} can be compared", "heading"))
    else:
        page.line(Cell("? no baseline  ", "warning"), Cell("can't tell what is new and what is gone", "heading"))


def _add_sum(page: Page, diff: snapshot_diff.SnapshotDiff, files: int | None) -> None:
    worst = [
        (len(diff.unexplained), "unexplained drop"),
        (len(find_newly_failing(diff)), "new failure"),
        (len(find_new_findings(diff)), "new finding"),
        (len([clash for clash in diff.clashes if not clash.known]), "new ownership clash"),
        (len([check for check in diff.claims if check.agrees is False]), "false claim"),
    ]
    told = [plural(number, noun) for number, noun in worst if number]
    if told:
        page.line(Cell("✗ ", "fail"), Cell(", ".join(told), "heading"))
    elif any(section.items for section in diff.sections.values()):
        page.line(Cell("✓ ", "pass"), Cell("no unexplained losses, nothing newly failing", "heading"))
    elif files:
        page.line(Cell("✓ ", "pass"), Cell("only file contents differ", "heading"))
    else:
        page.line(Cell("· ", "muted"), Cell("nothing differs", "heading"))


def _describe_choice(choice: snapshot_diff.BaselineChoice) -> tuple[Cell, ...]:
    names: list[str] = []
    if choice.snapshot:
        names.append(f"snapshot {choice.snapshot[:SHORT_DIGEST]}")
    if choice.commit:
        names.append(f"commit {choice.commit[:SHORT_COMMIT]}")
    if choice.tree:
        names.append(f"files {choice.tree[:SHORT_COMMIT]}")
    reason = Cell(render_safe(choice.reason), "muted" if names else "warning")
    return (Cell(f"{render_safe(', '.join(names))}  ", "key"), reason) if names else (reason,)


def _add_losses(page: Page, diff: snapshot_diff.SnapshotDiff, *, everything: bool) -> None:
    lost = [
        (name, item) for name, section in diff.sections.items() for item in section.items if item.explained is False
    ]
    if lost:
        page.heading("UNEXPLAINED DROPS", f"{len(lost):,}; no handoff mentions these")
        add_named_items(page, lost, everything=everything)


def _add_failures(page: Page, diff: snapshot_diff.SnapshotDiff, *, everything: bool) -> None:
    failing = find_newly_failing(diff)
    if failing:
        known = diff.tests.before_total or not any(name == "tests" for name, _ in failing)
        page.heading("NEW FAILURES" if known else "FAILING HERE", f"{len(failing):,}")
        add_named_items(page, failing, everything=everything)


def _add_clashes(page: Page, diff: snapshot_diff.SnapshotDiff, *, everything: bool) -> None:
    if not diff.clashes:
        return
    page.heading("FILES OWNED BY TWO PACKAGES", f"{len(diff.clashes):,}")
    ordered = sorted(diff.clashes, key=lambda clash: clash.known)
    for clash in page.some(ordered, MOST_LISTED, everything=everything):
        since = "as before" if clash.known else "new"
        owners = render_safe(", ".join(clash.owners))
        page.line(Cell(render_safe(clash.path), "path"), Cell(f"  {owners}"), Cell(f"  {since}", "muted"), indent=2)


def _add_claims(page: Page, title: str, claims: Sequence[snapshot_diff.ClaimCheck], *, everything: bool) -> None:
    """Claims that could be compared, or claim less than before; the others are only counted unless `everything`."""
    told = [check for check in claims if everything or check.agrees is not None or _says_less(check)]
    if told:
        page.heading(title, f"{len(told):,}")
        listed = told if everything else told[:MOST_LISTED]
        columns = (Column("verdict"), Column("handoff"), Column("claim and measurement", fold=True))
        page.grid(columns, [_build_claim_row(check) for check in listed])
        page.more(len(told) - len(listed))
    if len(told) < len(claims):
        page.blank()
        words = f"{plural(len(claims) - len(told), 'claimed number')} couldn't be compared; --all shows them"
        page.line(Cell(words, "muted"))


def _says_less(check: snapshot_diff.ClaimCheck) -> bool:
    """Whether a document claims less than the previous one; fewer failures and skips don't count."""
    lower = check.previous is not None and check.claimed < check.previous
    return lower and not check.what.endswith((".failed", ".skipped"))


def _build_claim_row(check: snapshot_diff.ClaimCheck) -> tuple[Cell, ...]:
    label = label_verdict(_AGREEMENT[check.agrees])
    text = f"{render_safe(check.text)}  ({render_safe(check.where)})"
    return Cell(str(label), label.role), Cell(render_safe(check.handoff), "key"), Cell(text)


def _add_sections(page: Page, diff: snapshot_diff.SnapshotDiff, *, everything: bool) -> None:
    """Differences by section; unchanged sections share one line."""
    failing = {(name, item.id) for name, item in find_newly_failing(diff)}
    same: list[str] = []
    for name, section in diff.sections.items():
        if section.items:
            shown = {item.id for item in section.items if item.explained is False or (name, item.id) in failing}
            add_section(page, name, section, shown, everything=everything)
        elif section.after_total:
            same.append(plural(section.after_total, NOUNS[name]))
    if same:
        page.blank()
        page.line(Cell(f"unchanged: {', '.join(same)}", "muted"))


def _add_unread(page: Page, unread: Sequence[snapshot_diff.NotRead], *, everything: bool) -> None:
    if not unread:
        return
    page.heading("Not read", f"{len(unread):,}")
    for one in page.some(unread, MOST_LISTED, everything=everything):
        where = "here and in the baseline" if one.in_before and one.in_after else "here" if one.in_after else "before"
        reason = f"  {render_safe(one.reason)}"
        page.line(Cell(render_safe(one.path), "path"), Cell(reason), Cell(f"  {where}", "muted"), indent=2)
