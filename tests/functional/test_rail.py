"""The rail beside a view, where the screen is wide enough."""

from __future__ import annotations

from dataclasses import replace

import pytest
from textual.pilot import Pilot

from handoff_tui.checks.report import Outcome
from handoff_tui.live.state.app import Loaded, Part
from handoff_tui.log.gates.gate_state import GateName
from handoff_tui.status.pipeline import PhaseProgress, PhaseView, PipelineView
from handoff_tui.tui.messages import HandoffChosen, PhaseChosen
from handoff_tui.tui.views.rail import Rail, list_sections
from tests.support.check_reports import build_report, build_result
from tests.support.desk_app import StillApp
from tests.support.desk_states import MOMENT, make_item
from tests.support.screens import at_desk, get_app, list_asked, settle
from tests.support.view_states import DESK as LOG_DESK

pytestmark = pytest.mark.usefixtures("still_clock")
PIPELINE = PipelineView(
    name="shop",
    phases=(
        PhaseView(name="plan", standing=PhaseProgress.DONE, who="nika", attempts=1),
        PhaseView(name="build", standing=PhaseProgress.HERE, gate=GateName.PENDING, attempts=2),
    ),
)
ITEMS = (*LOG_DESK.inbox, make_item("kettle"))
DESK = replace(
    LOG_DESK,
    inbox=ITEMS,
    pipeline=Loaded(PIPELINE, at=MOMENT),
    checks=Loaded(build_report(build_result("tests-unit", Outcome.FAIL), build_result("types")), at=MOMENT),
)


def cut_rail(screen: str) -> str:
    return "\n".join(line[:45] for line in screen.splitlines()[3:-2])


@at_desk(DESK, size=(160, 50))
async def test_rail_shows_inbox_pipeline_and_checks(pilot: Pilot[None]) -> None:
    """All three where there are rows enough; what they need is kept fresh."""
    rail = cut_rail(await settle(pilot, "6"))
    assert "Inbox" in rail
    assert "2 need you" in rail
    assert "▸ H-1" in rail
    assert "▸ 2   build" in rail
    assert "✗ 1 block" in rail
    assert "tests-unit" in rail
    assert {Part.PIPELINE, Part.CHECKS} <= get_app(pilot).main_screen.parts


@pytest.mark.parametrize(
    ("view", "height", "shown"),
    [
        ("log", 50, ("inbox", "pipeline", "checks")),
        ("log", 30, ("inbox",)),
        ("inbox", 50, ("pipeline", "checks")),
        ("inbox", 30, ("pipeline",)),
        ("checks", 50, ("inbox", "pipeline")),
    ],
)
def test_rail_leaves_out_what_is_in_view(view: str, height: int, shown: tuple[str, ...]) -> None:
    """And shows one list where the screen is low."""
    assert list_sections(view, height) == shown


@at_desk(DESK, size=(100, 30))
async def test_narrow_screen_has_no_rail(pilot: Pilot[None]) -> None:
    """Nothing is read for it either."""
    await settle(pilot, "6")
    assert not get_app(pilot).main_screen.query_one(Rail).display
    assert Part.CHECKS not in get_app(pilot).main_screen.parts


@at_desk(DESK, size=(160, 50))
async def test_rail_chooses_by_enter_only(pilot: Pilot[None], app: StillApp) -> None:
    """Moving along it chooses nothing; Enter takes the handoff or the phase, and the view stays."""
    await settle(pilot, "6")
    app.asked.clear()
    await settle(pilot, "shift+tab", "shift+tab", "shift+tab", "j")
    assert not any(isinstance(one, HandoffChosen) for one in app.asked)
    await settle(pilot, "enter")
    assert [one.key.handoff for one in list_asked(pilot, HandoffChosen)] == ["kettle"]
    await settle(pilot, "tab", "k", "enter")
    assert [one.phase for one in list_asked(pilot, PhaseChosen)] == ["plan"]
    assert app.main_screen.view_name == "log"


@at_desk(DESK, size=(160, 50))
async def test_rail_keeps_its_cursor_on_what_is_in_view(pilot: Pilot[None]) -> None:
    """Another handoff is chosen elsewhere: the rail follows."""
    await settle(pilot, "6")
    get_app(pilot).give(replace(DESK, chosen=ITEMS[1].key, checks=Loaded(), pipeline=Loaded()))
    rail = cut_rail(await settle(pilot))
    assert "▸ kettle" in rail
    assert rail.count("reading…") == 2
