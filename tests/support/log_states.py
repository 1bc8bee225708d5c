"""Desks over a log made by hand: entries of people and agents, one that is refused, a fork."""

from __future__ import annotations

from datetime import UTC, datetime

from handoff_tui.git.watch.noticed import Watching
from handoff_tui.live.state.app import AppState, Loaded, RepositoryPart
from handoff_tui.log.show.view import EntryState, LogRow, LogView
from tests.support.inbox_items import MOMENT, make_item
from tests.support.reviewed import ROOT

READ_AT = datetime(2026, 3, 6, 11, 58, tzinfo=UTC)
ITEM = make_item("H-1")


def build_id(letter: str) -> str:
    return f"sha256:{letter * 64}"


ROWS = (
    LogRow(
        id=build_id("d"),
        state=EntryState.VALID,
        kind="decision",
        what="approve",
        seq=4,
        time="2026-03-06T11:00:00Z",
        actor="ada@example.org",
        roles=("reviewer",),
        handoff="H-1",
        phase="build",
        attempt=1,
        head=True,
        parents=(build_id("b"), build_id("c")),
    ),
    LogRow(
        id=build_id("c"),
        state=EntryState.VALID,
        kind="submission",
        what="submit",
        seq=2,
        time="2026-03-06T10:30:00Z",
        actor="heron",
        roles=("agent",),
        handoff="H-2",
        phase="build",
        attempt=3,
        parents=(build_id("a"),),
    ),
    LogRow(
        id=build_id("b"),
        state=EntryState.VOID,
        why="the key was dropped",
        kind="decision",
        what="hold",
        seq=2,
        time="2026-03-06T10:00:00Z",
        actor="bo@example.org",
        roles=("reviewer",),
        handoff="H-1",
        phase="build",
        attempt=1,
        parents=(build_id("a"),),
    ),
    LogRow(
        id=build_id("a"),
        state=EntryState.VALID,
        kind="policy",
        what="policy 1",
        seq=1,
        time="2026-03-01T10:00:00Z",
        actor="ada@example.org",
        roles=("root",),
    ),
    LogRow(id=build_id("e"), state=EntryState.REFUSED, code="bad-envelope", why="the file is cut off"),
)
VIEW = LogView(
    fatal=False,
    log=build_id("a"),
    policy=build_id("a"),
    heads=(build_id("d"),),
    total=len(ROWS),
    rows=ROWS,
    problems=(),
)
DESK = AppState(
    repositories=(
        RepositoryPart(ROOT, "lamp", Loaded(object()), Watching.LIVE, reviewer="ada@example.org"),  # type: ignore[arg-type]
    ),
    inbox=(ITEM,),
    chosen=ITEM.key,
    log=Loaded(VIEW, at=MOMENT),
)
