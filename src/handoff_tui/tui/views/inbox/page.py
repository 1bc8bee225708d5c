"""One handoff of the inbox in short: who has to act, what blocks it, and the facts behind its risk."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from handoff_tui.core.place import Place
from handoff_tui.core.short_id import SHORT_COMMIT
from handoff_tui.core.text.ages import describe_ago
from handoff_tui.core.text.labels import label_gate, label_mover, plural
from handoff_tui.core.text.page import Cell, Page
from handoff_tui.core.text.safe_text import render_safe
from handoff_tui.handoffs.scope.scope import Source
from handoff_tui.live.state.app import RepositoryPart
from handoff_tui.log.gates.gate_state import GateState, Mover
from handoff_tui.status.changed_paths import SOURCE_WORDS
from handoff_tui.status.inbox_item import InboxItem, RiskFact, UnclaimedWork
from handoff_tui.tui.views.inbox.rows import RISK_WORDS, label_item

_NAME = 8
_MOST_PLACES = 6
_MOST_FILES = 50


def build_inbox_page(item: InboxItem, repository: RepositoryPart | None, now: datetime | None = None) -> Page:
    """Shows everything the row has no room for."""
    page = Page()
    _add_title(page, item, now)
    _add_move(page, item, repository)
    add_blocking(page, item.reviewed.gate)
    _add_risks(page, item)
    _add_numbers(page, item)
    return page


def build_unclaimed_page(work: UnclaimedWork, scope_key: str, coverage_key: str) -> Page:
    """Lists the files that belong to no handoff, and says what to do about them."""
    page = Page()
    number = plural(len(work.files), "changed file")
    verb = "belongs" if len(work.files) == 1 else "belong"
    page.line(Cell("? ", "unknown"), Cell(f"{number} {verb} to no handoff, so nobody is asked to approve them"))
    page.line(Cell(f"{scope_key:<{_NAME}}", "key"), Cell("gives them to a handoff"))
    page.line(Cell(f"{coverage_key:<{_NAME}}", "key"), Cell("lists every changed file and who approved it"))
    shown = work.files[:_MOST_FILES]
    for place, path in enumerate(shown):
        page.line(Cell(f"{'' if place else 'files':<{_NAME}}", "muted"), Cell(render_safe(path), "path"))
    if len(work.files) > len(shown):
        page.line(Cell(f"{'':<{_NAME}}… and {len(work.files) - len(shown):,} more", "muted"))
    if work.commits:
        ids = ", ".join(commit[:SHORT_COMMIT] for commit in work.commits[:_MOST_PLACES])
        more = f" and {len(work.commits) - _MOST_PLACES} more" if len(work.commits) > _MOST_PLACES else ""
        page.line(Cell(f"{'commits':<{_NAME}}", "muted"), Cell(f"{ids}{more}", "muted"))
    return page


def build_broken_page(repositories: Iterable[RepositoryPart]) -> Page:
    """Says why a repository can't be read, and what to do about it."""
    page = Page()
    for repository in repositories:
        if (trouble := repository.state.trouble) is not None:
            page.line(Cell(f"✗ {render_safe(repository.name)}  ", "fail"), Cell(render_safe(trouble.message)), indent=4)
            page.line(Cell(f"    {render_safe(trouble.hint)}", "muted"), indent=4)
    return page


def add_named(page: Page, name: str, *cells: Cell, indent: int = _NAME) -> None:
    """Adds a line with its name in front; without a name, it continues the one above."""
    page.line(Cell(f"{name:<{_NAME}}", "muted"), *cells, indent=indent)


def add_next_move(page: Page, item: InboxItem) -> None:
    """Says who has to act, and what they have to do."""
    move = item.reviewed.gate.next_move
    mover = label_mover(move.who)
    who = "you" if item.waits_on_me else (move.name or mover.word)
    role = "waiting" if item.waits_on_me else mover.role
    add_named(page, "next", Cell(f"{render_safe(who)}: ", role), Cell(render_safe(move.what)))


def add_blocking(page: Page, gate: GateState) -> None:
    """Lists every unmet requirement; if it was let through, says by whom and what they overrode."""
    label = label_gate(gate.state)
    for number, reason in enumerate(gate.why):
        name, glyph, role = ("", "!", "warning") if number else ("decided", label.glyph, label.role)
        add_named(page, name, Cell(f"{glyph} {render_safe(reason)}", role), indent=10)
    for number, reason in enumerate(gate.blocking):
        add_named(page, "" if number else "blocked", Cell(f"■ {render_safe(reason)}", "fail"), indent=10)


def list_places(places: tuple[Place, ...], most: int = _MOST_PLACES) -> str:
    """Lists paths with lines, as many as fit on one line."""
    named = ", ".join(render_safe(str(place)) for place in places[:most])
    return f"{named} and {len(places) - most} more" if len(places) > most else named


def _add_title(page: Page, item: InboxItem, now: datetime | None) -> None:
    handoff, label = item.reviewed.handoff, label_item(item)
    page.line(
        Cell(render_safe(handoff.id), "heading"),
        Cell(f"  {render_safe(handoff.title)}" if handoff.title else ""),
    )
    words = [handoff.dialect, f"attempt {item.reviewed.attempt}"]
    if handoff.status:
        words.append(f"says {render_safe(handoff.status)}")
    if ago := describe_ago(item.since, now):
        words.append(f"changed {ago}")
    gate = label_gate(item.reviewed.gate.state)
    words.append(f"gate {gate.word}")
    page.line(Cell(f"{label}  ", label.role), Cell(render_safe(" · ".join(words)), "muted"), indent=2)


def _add_move(page: Page, item: InboxItem, repository: RepositoryPart | None) -> None:
    if item.closed:
        add_named(page, "gates", Cell("■ Every gate is closed: ", "fail"), Cell(render_safe(item.closed)), indent=10)
    add_next_move(page, item)
    theirs = not item.waits_on_me and item.reviewed.gate.next_move.who is Mover.REVIEWER
    if theirs and repository is not None and repository.reviewer_note:
        add_named(page, "you", Cell(render_safe(repository.reviewer_note), "warning"))


def _add_risks(page: Page, item: InboxItem) -> None:
    for number, risk in enumerate(item.risks or ()):
        add_named(page, "" if number else "risk", *_describe_risk(risk))
    if not item.risks:
        unknown = item.risks is None
        add_named(page, "risk", Cell("not measured yet", "muted") if unknown else Cell("none found", "pass"))


def _describe_risk(risk: RiskFact) -> tuple[Cell, ...]:
    cells = (Cell(f"! {RISK_WORDS[risk.kind]} ", "warning"), Cell(render_safe(risk.text)))
    return (*cells, Cell(f"  {list_places(risk.places)}", "path")) if risk.places else cells


def _add_numbers(page: Page, item: InboxItem) -> None:
    claims = item.reviewed.claims
    add_named(
        page,
        "claims",
        Cell(f"✗ {claims.contradicted} false  ", "contradicted" if claims.contradicted else "muted"),
        *([Cell(f"~ {claims.was_true} was true  ", "muted")] if claims.was_true else []),
        Cell(f"✓ {claims.holds} hold  ", "holds" if claims.holds else "muted"),
        Cell(f"? {claims.unverified} not measured", "unverified" if claims.unverified else "muted"),
    )
    _add_scope(page, item)


def _add_scope(page: Page, item: InboxItem) -> None:
    scope = item.reviewed.scope
    if not scope.files:
        add_named(page, "own", Cell("no changes of its own", "muted"))
        return
    size = item.size
    words = [plural(scope.files, "file")]
    words += [f"+{size.added:,} -{size.deleted:,}"] if size is not None and size.added is not None else []
    words.append(plural(scope.commits, "commit") if scope.commits else "not committed")
    words += [f"{scope.shared} shared"] if scope.shared else []
    words += [f"{scope.undeclared} not declared"] if scope.undeclared else []
    guessed = scope.source == Source.SPAN
    why = f"  {SOURCE_WORDS[scope.source]}" if scope.source else ""
    add_named(page, "own", Cell(", ".join(words)), Cell(why, "warning" if guessed else "muted"))
