"""The pipeline, driven as a person would."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest
from textual.pilot import Pilot

from handoff_tui.live.state.app import Loaded, Trouble
from handoff_tui.log.gates.gate_state import GateName
from handoff_tui.status.pipeline import PhaseProgress, PhaseView, PipelineView
from handoff_tui.tui.messages import PhaseChosen
from tests.support.desk_app import StillApp, drive
from tests.support.desk_states import MOMENT, make_state, read_desk
from tests.support.screens import at_desk, compare_screen, cut_view, get_app, list_asked, settle

pytestmark = pytest.mark.usefixtures("still_clock")
VIEW = PipelineView(
    name="shop",
    phases=(
        PhaseView(name="plan", standing=PhaseProgress.DONE, who="nika", attempts=1),
        PhaseView(name="build", standing=PhaseProgress.HERE, gate=GateName.PENDING, who="reviewer", attempts=2),
        PhaseView(name="test", standing=PhaseProgress.AHEAD),
    ),
)
DESK = dataclasses.replace(make_state(), pipeline=Loaded(VIEW, at=MOMENT))


@at_desk(DESK)
async def test_cursor_stands_where_the_work_is(pilot: Pilot[None]) -> None:
    """The chain, the rows and the next move; another phase is chosen by moving there."""
    screen = await settle(pilot, "2")
    assert "plan ──✓── build ──◆── test ○" in screen
    assert "▸ 2   build" in screen
    assert "next    you: review and decide" in screen
    await settle(pilot, "j")
    chosen = [one.phase for one in list_asked(pilot, PhaseChosen)]
    assert chosen == ["test"]


@at_desk(make_state())
async def test_reading_broken_and_nothing_chosen_are_said(pilot: Pilot[None]) -> None:
    """Each in words, and with what helps."""
    assert "reading…" in await settle(pilot, "2")
    trouble = Trouble("the settings are damaged", "Repair handoff-tui.toml.")
    get_app(pilot).give(dataclasses.replace(make_state(), pipeline=Loaded(trouble=trouble)))
    assert "✗ the settings are damaged. Repair handoff-tui.toml." in await settle(pilot)
    get_app(pilot).give(dataclasses.replace(make_state(), chosen=None, inbox=()))
    assert "No handoff selected" in await settle(pilot)


@at_desk(DESK)
async def test_news_redraw_the_page_and_leave_the_cursor(pilot: Pilot[None]) -> None:
    """The gate was decided meanwhile."""
    await settle(pilot, "2", "k")
    done = VIEW.phases[1].model_copy(update={"standing": PhaseProgress.DONE, "gate": GateName.APPROVED})
    view = VIEW.model_copy(update={"phases": (VIEW.phases[0], done, VIEW.phases[2])})
    get_app(pilot).give(dataclasses.replace(DESK, pipeline=Loaded(view, at=MOMENT), phase="plan"))
    screen = await settle(pilot)
    assert "▸ 1   plan" in screen
    assert "✓ approved" in screen.split("build", 2)[2]


@pytest.mark.parametrize("size", [(80, 24), (160, 50)], ids=["80x24", "160x50"])
def test_pipeline_of_the_sample_looks_as_committed(sample_repository: Path, size: tuple[int, int]) -> None:
    """The same in a theme without colours: nothing is said by colour alone."""
    state = read_desk(sample_repository, "H-3", MOMENT)

    async def script(pilot: Pilot[None]) -> None:
        screen = await settle(pilot, "2")
        compare_screen(f"pipeline-{size[0]}x{size[1]}", cut_view(pilot, screen))

    for theme in ("dark", "monochrome"):
        drive(StillApp(state, theme), script, size=size)
