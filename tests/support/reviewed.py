"""Reviewed handoffs put together by hand, and pages as plain text, for tests of what is shown."""

from __future__ import annotations

from handoff_tui.core.repository_facts import RepositoryFacts
from handoff_tui.core.text.page import Grid, Page
from handoff_tui.handoffs.handoff import Handoff
from handoff_tui.log.gates.gate_state import GateName, GateState, Mover, NextMove
from handoff_tui.status.review_state import ReviewedHandoff, ReviewState

ROOT = "/home/ada/lamp"


def build_reviewed(
    handoff: Handoff | None = None,
    *,
    state: GateName | None = GateName.PENDING,
    who: Mover = Mover.REVIEWER,
    name: str | None = None,
    what: str = "review and decide",
    blocking: tuple[str, ...] = (),
) -> ReviewedHandoff:
    """A handoff at its gate; by default the first of a builder, ready to be decided."""
    move = NextMove(who=who, name=name, what=what)
    gate = GateState(state=state, blocking=blocking, next_move=move)
    return ReviewedHandoff(handoff=handoff or Handoff(id="H-1", dialect="builder"), gate=gate)


def build_state(*reviewed: ReviewedHandoff, repository: RepositoryFacts | None = None) -> ReviewState:
    return ReviewState(repository=repository or RepositoryFacts(root=ROOT), handoffs=reviewed)


def list_lines(page: Page) -> list[str]:
    """Every line and every row of a page as text; cells of a row are parted by bars."""
    lines: list[str] = []
    for part in page.parts:
        if isinstance(part, Grid):
            lines.append(" | ".join(column.heading for column in part.columns))
            lines.extend(" | ".join(cell.text for cell in row) for row in part.rows)
        else:
            lines.append("".join(cell.text for cell in part.cells))
    return lines


def find_section(page: Page, title: str) -> list[str]:
    """The lines under a heading, up to the next blank line; nothing when there is no such heading."""
    lines = list_lines(page)
    starts = [number for number, line in enumerate(lines) if line == title or line.startswith(f"{title}  ")]
    if not starts:
        return []
    below = lines[starts[0] + 1 :]
    return below[: below.index("")] if "" in below else below
