"""A desk over a real repository, read once by the use cases and without a thread behind it."""

from __future__ import annotations

from datetime import datetime
from functools import cache
from pathlib import Path

from handoff_tui.changes.risk import RiskMemory, read_risks
from handoff_tui.checks.run.check import check
from handoff_tui.checks.run.choose import CheckRequest
from handoff_tui.git.watch.noticed import Watching
from handoff_tui.handoffs.session import open_desk
from handoff_tui.live.state.app import AppState, Loaded, RepositoryPart
from handoff_tui.log.policy.signer import read_reviewer
from handoff_tui.status.inbox import add_risks, build_inbox, build_inbox_facts, read_change_times
from handoff_tui.status.pipeline import build_pipeline
from handoff_tui.status.refresh import open_log_gates, refresh
from handoff_tui.status.show import show


@cache
def read_desk(root: Path, chosen: str, at: datetime) -> AppState:
    """The whole inbox, and all parts of one handoff; read once for a repository that tests only look at."""
    desk = open_desk(root)
    state, gates = refresh(desk), open_log_gates(desk)
    reviewer = read_reviewer(desk, gates.policy if gates else None)
    items = build_inbox(state, build_inbox_facts(desk, reviewer, read_change_times(desk, state), gates))
    items = add_risks(items, str(desk.repository.root), read_risks(desk, state, gates, RiskMemory()))
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
    return AppState(
        repositories=(repository,),
        inbox=items,
        chosen=item.key,
        shown=Loaded(show(desk, state, chosen), at=at),
        pipeline=Loaded(build_pipeline(item.reviewed, pipelines, gates.index if gates else None), at=at),
        checks=Loaded(check(desk, CheckRequest(handoff=chosen)), at=at),
    )
