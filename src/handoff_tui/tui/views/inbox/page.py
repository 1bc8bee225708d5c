"""One handoff of the inbox in short: who has to act, what blocks it, and the facts behind its risk."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from handoff_tui.core.place import Place
from handoff_tui.core.text.ages import describe_ago
from handoff_tui.core.text.labels import label_gate, label_mover, plural
from handoff_tui.core.text.page import Cell, Page
from handoff_tui.core.text.safe_text import render_safe
from handoff_tui.live.state.app import RepositoryPart
from handoff_tui.log.gates.gate_state import GateState, Mover
from handoff_tui.status.inbox_item import InboxItem, RiskFact
from handoff_tui.tui.views.inbox.rows import RISK_WORDS, label_item

_NAME = 8
_MOST_PLACES = 6


def build_inbox_page(item: InboxItem, repository: RepositoryPart | None, now: datetime | None = None) -> Page:
    """Shows everything the row has no room for."""
    page = Page()
    _add_title(page, item, now)
    _add_move(page, item, repository)
    add_blocking(page, item.reviewed.gate)
    _add_risks(page, item)
    _add_numbers(page, item)
    return page


def build_broken_page(repositories: Iterable[RepositoryPart]) -> Page:
    """Says why a repository can't be read, and what to do about it."""
    page = Page()
    for repository in repositories:
        if (trouble := repository.state.trouble) is not None:
            page.line(Cell(f"✗ {render_safe(repository.name)}  ", "fail"), Cell(render_safe(trouble.message)), indent=4)
            page.line(Cell(f"    {render_safe(trouble.hint)}", "muted"), indent=4)
    return page


def add_blocking(page: Page, gate: GateState) -> None:
    """Lists every unmet requirement; if it was let through, says by whom and what they overrode."""
    label = label_gate(gate.state)
    for number, reason in enumerate(gate.why):
        name, glyph, role = ("", "!", "warning") if number else ("decided", label.glyph, label.role)
        page.line(Cell(f"{name:<{_NAME}}", "muted"), Cell(f"{glyph} {render_safe(reason)}", role), indent=10)
    for number, reason in enumerate(gate.blocking):
        name = "" if number else "blocked"
        page.line(Cell(f"{name:<{_NAME}}", "muted"), Cell(f"■ {render_safe(reason)}", "fail"), indent=10)


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
    words = [handoff.dialect, f"attempt {handoff.attempt}"]
    if handoff.status:
        words.append(f"says {render_safe(handoff.status)}")
    if ago := describe_ago(item.since, now):
        words.append(f"changed {ago}")
    gate = label_gate(item.reviewed.gate.state)
    words.append(f"gate {gate.word}")
    page.line(Cell(f"{label}  ", label.role), Cell(render_safe(" · ".join(words)), "muted"), indent=2)


def _add_move(page: Page, item: InboxItem, repository: RepositoryPart | None) -> None:
    move = item.reviewed.gate.next_move
    if item.closed:
        page.line(
            Cell(f"{'gates':<{_NAME}}", "muted"),
            Cell("■ Every gate is closed: ", "fail"),
            Cell(render_safe(item.closed)),
            indent=10,
        )
    mover = label_mover(move.who)
    who = "you" if item.waits_on_me else (move.name or mover.word)
    page.line(
        Cell(f"{'next':<{_NAME}}", "muted"),
        Cell(f"{render_safe(who)}: ", "waiting" if item.waits_on_me else mover.role),
        Cell(render_safe(move.what)),
        indent=_NAME,
    )
    if not item.waits_on_me and move.who is Mover.REVIEWER and repository is not None and repository.reviewer_note:
        page.line(
            Cell(f"{'you':<{_NAME}}", "muted"), Cell(render_safe(repository.reviewer_note), "warning"), indent=_NAME
        )


def _add_risks(page: Page, item: InboxItem) -> None:
    if item.risks is None:
        page.line(Cell(f"{'risk':<{_NAME}}", "muted"), Cell("not measured yet", "muted"))
        return
    for number, risk in enumerate(item.risks):
        name = "risk" if not number else ""
        page.line(Cell(f"{name:<{_NAME}}", "muted"), *_describe_risk(risk), indent=_NAME)
    if not item.risks:
        page.line(Cell(f"{'risk':<{_NAME}}", "muted"), Cell("none found", "pass"))


def _describe_risk(risk: RiskFact) -> tuple[Cell, ...]:
    cells = (Cell(f"! {RISK_WORDS[risk.kind]} ", "warning"), Cell(render_safe(risk.text)))
    return (*cells, Cell(f"  {list_places(risk.places)}", "path")) if risk.places else cells


def _add_numbers(page: Page, item: InboxItem) -> None:
    claims = item.reviewed.claims
    page.line(
        Cell(f"{'claims':<{_NAME}}", "muted"),
        Cell(f"✗ {claims.contradicted} false  ", "contradicted" if claims.contradicted else "muted"),
        Cell(f"✓ {claims.holds} hold  ", "holds" if claims.holds else "muted"),
        Cell(f"? {claims.unverified} not measured", "unverified" if claims.unverified else "muted"),
        indent=_NAME,
    )
    size = item.size
    if size is not None:
        lines = "" if size.added is None else f", +{size.added:,} -{size.deleted:,}"
        page.line(
            Cell(f"{'differs':<{_NAME}}", "muted"),
            Cell(f"{plural(size.files, 'file')}{lines} since the baseline", "changed"),
        )
