"""Reviewed handoffs, inbox items and states of the app, made by hand; pages as plain text."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import cache
from pathlib import Path

from handoff_tui.changes.risk import RiskMemory, read_risks
from handoff_tui.checks.problems import measure_gate
from handoff_tui.checks.run.check import check
from handoff_tui.checks.run.choose import CheckRequest
from handoff_tui.checks.run.recheck import CheckAgain
from handoff_tui.core.repository_facts import RepositoryFacts
from handoff_tui.core.text.page import Grid, Page
from handoff_tui.git.watch.noticed import Watching
from handoff_tui.handoffs.handoff import Handoff
from handoff_tui.handoffs.session import open_session
from handoff_tui.live.state.app import AppState, Loaded, RepositoryPart
from handoff_tui.log.gates.gate_state import GateName, GateState, Mover, NextMove
from handoff_tui.log.policy.signer import read_reviewer
from handoff_tui.status.inbox import add_measured, build_inbox, build_inbox_facts, read_change_times
from handoff_tui.status.inbox_item import HandoffKey, InboxItem, RiskFact, WorkSize
from handoff_tui.status.pipeline import build_pipeline
from handoff_tui.status.refresh import open_log_gates, refresh, refresh_all
from handoff_tui.status.review_state import ClaimCounts, ReviewedHandoff, ReviewState
from handoff_tui.status.show import show

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
    handoff = handoff or Handoff(id="H-1", dialect="builder")
    return ReviewedHandoff(handoff=handoff, gate=gate, attempt=handoff.attempt)


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
    """The lines under a heading, up to the next blank line; empty if there is no such heading."""
    lines = list_lines(page)
    starts = [number for number, line in enumerate(lines) if line == title or line.startswith(f"{title}  ")]
    if not starts:
        return []
    below = lines[starts[0] + 1 :]
    return below[: below.index("")] if "" in below else below


MOMENT = datetime(2026, 3, 6, 12, 0, tzinfo=UTC)


def make_item(
    name: str = "H-1",
    *,
    mine: bool = True,
    state: GateName = GateName.PENDING,
    who: Mover = Mover.REVIEWER,
    agent: str | None = None,
    phase: str | None = "build",
    since: datetime | None = None,
    risks: tuple[RiskFact, ...] | None = (),
    claims: tuple[int, int, int] = (0, 0, 0),
    size: WorkSize | None = None,
    blocking: tuple[str, ...] = (),
    root: str = ROOT,
) -> InboxItem:
    """By default it waits on the person at the desk. `claims` are those that hold, are false, were not measured."""
    handoff = Handoff(id=name, dialect="builder", title=f"The title of {name}")
    reviewed = build_reviewed(handoff, state=state, who=who, name=agent, blocking=blocking)
    holds, contradicted, unverified = claims
    counts = ClaimCounts(holds=holds, contradicted=contradicted, unverified=unverified)
    return InboxItem(
        key=HandoffKey(root, name),
        repository=root.rpartition("/")[2],
        reviewed=reviewed.model_copy(update={"claims": counts}),
        waits_on_me=mine,
        phase=phase,
        risks=risks,
        since=since,
        search=f"{name} {phase or ''} the title of {name}".casefold(),
        size=size,
    )


KEY = HandoffKey("/desk", "H-1")


def make_state(**part: object) -> AppState:
    """A desk with one handoff that waits for a review."""
    gate = GateState(state=GateName.PENDING, next_move=NextMove(who=Mover.REVIEWER, what="review and decide"))
    reviewed = ReviewedHandoff(handoff=Handoff(id="H-1", dialect="builder"), gate=gate)
    item = InboxItem(KEY, "desk", reviewed, waits_on_me=True, phase="implement")
    repository = RepositoryPart("/desk", "desk", **part)  # type: ignore[arg-type]
    return AppState(repositories=(repository,), inbox=(item,), chosen=KEY)


@cache
def read_desk(root: Path, chosen: str, at: datetime) -> AppState:
    """The whole inbox, and all parts of one handoff; read once for a repository that tests only look at."""
    desk = open_session(root)
    state = refresh(desk, CheckAgain())
    gates = open_log_gates(desk, tuple(one.handoff for one in state.handoffs), CheckAgain())
    reviewer = read_reviewer(desk, gates.policy if gates else None)
    items = build_inbox(state, build_inbox_facts(desk, reviewer, read_change_times(desk, state), gates))
    items = add_measured(items, str(desk.repository.root), read_risks(desk, state, gates, RiskMemory()))
    item = next(one for one in items if one.key.handoff == chosen)
    repository = RepositoryPart(
        root=str(desk.repository.root),
        name=root.name,
        state=Loaded(state, at=at),
        watching=Watching.LIVE,
        reviewer=reviewer.principal,
        reviewer_note=reviewer.note,
    )
    pipelines = desk.loaded.settings.pipelines
    shown, report = (
        show(desk, refresh_all(desk, CheckAgain())._replace(state=state), chosen),
        check(desk, CheckRequest(handoff=chosen)),
    )
    return AppState(
        repositories=(repository,),
        inbox=items,
        chosen=item.key,
        shown=Loaded(shown, at=at),
        pipeline=Loaded(build_pipeline(item.reviewed, pipelines, gates.index if gates else None), at=at),
        checks=Loaded(report, at=at),
        problems=Loaded(measure_gate(report, shown.verdicts), at=at),
    )


def render_page(page: Page) -> str:
    """Each line as its cells, each row of a grid as its cells between bars."""
    lines: list[str] = []
    for part in page.parts:
        if isinstance(part, Grid):
            lines.extend(" | ".join(cell.text for cell in row) for row in part.rows)
        else:
            lead = "  " if part.indent == 2 else ""
            lines.append((lead + "".join(cell.text for cell in part.cells)).rstrip())
    return "\n".join(lines)
