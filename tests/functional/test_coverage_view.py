"""Coverage as one bar and a list, and unclaimed work as an item of the inbox, driven as a person would."""

from __future__ import annotations

import pytest
from textual.pilot import Pilot

from handoff_tui.core.classes import replace
from handoff_tui.handoffs.scope.scope import Attribution
from handoff_tui.live.state.app import AppState, ChangedPaths, Loaded, RepositoryPart
from handoff_tui.log.gates.coverage import ChangedPath, Coverage, CoveringEntry, PathCoverage
from handoff_tui.status.coverage_bar import build_short_bar
from handoff_tui.tui.messages import ChangedFileWanted, CorrectionWanted, DecisionWanted
from tests.support.desk_app import StillApp, drive
from tests.support.desk_states import ROOT, build_reviewed, build_state, make_item
from tests.support.screens import at_desk, get_app, settle

pytestmark = pytest.mark.usefixtures("still_clock")
ENTRY = CoveringEntry("sha256:" + "ab" * 32, "ada@example.org", "H-1")
PATHS = (
    ChangedPath(PathCoverage("lamp.py", Coverage.APPROVED, ("H-1",), (ENTRY,)), Attribution.COMMITS, ("c" * 40,)),
    ChangedPath(PathCoverage("kettle.py", Coverage.WAITING, ("H-2",)), Attribution.SPAN, ("d" * 40,)),
    ChangedPath(PathCoverage("ci.yml", Coverage.UNCLAIMED), None, ("e" * 40,), uncommitted=True),
)
REVIEW = build_state(build_reviewed()).model_copy(
    update={
        "unclaimed": ("ci.yml",),
        "unclaimed_commits": ("e" * 40,),
        "coverage": {"approved": 1, "overridden": 0, "waiting": 1, "rejected": 0, "unclaimed": 1},
    }
)
DESK = AppState(
    repositories=(RepositoryPart(ROOT, "lamp", Loaded(REVIEW), since="v0.4", reviewer="ada@example.org"),),
    inbox=(make_item("H-1"), make_item("H-2", mine=False)),
    chosen=make_item("H-1").key,
    coverage=Loaded(ChangedPaths(PATHS)),
)


def test_bar_is_in_the_title_and_opens_the_list() -> None:
    """The list names the file, its state, its handoff, who approved it; a guess is called one."""

    async def script(pilot: Pilot[None]) -> None:
        screen = await settle(pilot)
        assert "approved 33 % since v0.4 ███░░░░░░░ 1 unclaimed" in screen.split("\n")[1]
        screen = await settle(pilot, "%")
        rows = [line for line in screen.split("\n") if ".py" in line or "ci.yml" in line]
        assert "▸ ci.yml" in rows[0]
        assert "? unclaimed" in rows[0]
        assert "nobody claims it" in rows[0]
        assert "a guess" in rows[1]
        assert "✓ approved" in rows[2]
        assert "ada@example.org" in rows[2]
        assert "1 approved · 1 waiting · 1 unclaimed" in screen

    drive(StillApp(DESK), script, (138, 30))


def test_enter_opens_the_file_in_the_diff_of_its_handoff() -> None:
    """An unclaimed one is shown beside the commit before it changed; nothing can be decided about it."""

    async def script(pilot: Pilot[None]) -> None:
        app = get_app(pilot)
        screen = await settle(pilot, "%", "a")
        assert "this file belongs to no handoff" in screen
        assert not any(isinstance(one, DecisionWanted) for one in app.asked)
        await settle(pilot, "enter")
        await settle(pilot, "escape", "escape", "%", "f")
        await settle(pilot, "j", "enter")
        wanted = [one for one in app.asked if isinstance(one, ChangedFileWanted)]
        assert [(one.key and one.key.handoff, one.path) for one in wanted] == [(None, "ci.yml"), ("H-2", "kettle.py")]
        assert wanted[0].scope.against == "e" * 40 + "~"

    drive(StillApp(DESK), script, (138, 30))


def test_unclaimed_work_is_an_item_of_the_queue_that_can_be_given_away() -> None:
    """Below what needs you; a decision is refused with the key that leads on, which asks for the handoff."""

    async def script(pilot: Pilot[None]) -> None:
        app = get_app(pilot)
        screen = await settle(pilot, "j")
        assert "▸ Unclaimed work" in screen
        assert "1 file belongs to no handoff" in screen
        assert "ci.yml" in screen
        screen = await settle(pilot, "a")
        assert "belong to no handoff; O gives them to one" in screen
        screen = await settle(pilot, "O")
        assert "Which handoff gets ci.yml?" in screen
        await settle(pilot, "down", "enter")
        wanted = [one for one in app.asked if isinstance(one, CorrectionWanted)]
        assert [(one.key.handoff, one.claimed) for one in wanted] == [("H-2", ("ci.yml",))]

    drive(StillApp(DESK), script)


def test_filter_finds_unclaimed_work_by_its_files() -> None:
    """A filter that fits nothing of it leaves it out."""

    async def script(pilot: Pilot[None]) -> None:
        assert "Unclaimed work" in await settle(pilot, "slash", *"ci.yml")
        await settle(pilot, "escape")
        assert "Unclaimed work" not in await settle(pilot, "slash", *"h-2")

    drive(StillApp(DESK), script)


@pytest.mark.parametrize(
    ("room", "words"),
    [
        (60, "approved 33 % since v0.4 ███░░░░░░░ 1 unclaimed"),
        (40, "approved 33 % ███░░░░░░░ 1 unclaimed"),
        (30, "approved 33 % 1 unclaimed"),
        (14, "approved 33 %"),
        (5, ""),
    ],
)
def test_bar_is_as_long_as_there_is_room(room: int, words: str) -> None:
    """What fits is shown; the percentage goes last."""
    assert "".join(cell.text for cell in build_short_bar(REVIEW.coverage, "v0.4", room)) == words


def test_bar_says_a_hundred_only_if_everything_is_approved() -> None:
    """999 of 1,000 files are not all; without changed files there is no bar."""
    assert build_short_bar({"approved": 999, "waiting": 1}, "", 80)[0].text == "approved 99 %"
    assert build_short_bar({"approved": 5, "overridden": 1}, "", 80)[0].text == "approved 100 %"
    assert build_short_bar({}, "", 80) == []


@at_desk(replace(DESK, coverage=Loaded(ChangedPaths(PATHS[:1]))))
async def test_list_says_so_when_everything_is_approved(pilot: Pilot[None]) -> None:
    """With the filter for open files."""
    assert "✓ Every changed file is approved" in await settle(pilot, "%", "f")
