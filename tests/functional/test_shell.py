"""The shell around the views, driven as a person would."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

import pytest
from textual.app import ComposeResult
from textual.pilot import Pilot
from textual.widget import Widget

from handoff_tui.core.classes import replace
from handoff_tui.core.text.page import Cell
from handoff_tui.live.state.app import AppState, Loaded
from handoff_tui.tui.main_screen import VIEW_MAKERS
from handoff_tui.tui.messages import DecisionWanted, HandoffChosen, HandoffOpened, ViewWanted
from handoff_tui.tui.views.view import View
from handoff_tui.tui.widgets.row_list import RowList
from tests.support.desk_app import StillApp, drive
from tests.support.desk_states import build_state, make_state
from tests.support.screens import at_desk, get_app, list_asked, settle


class Rows:
    """Rows with numbers."""

    def __init__(self, keys: list[str]) -> None:
        self.keys = keys

    def build_row(self, index: int, width: int) -> tuple[Cell, ...]:
        return (Cell(f"row {self.keys[index]} of {width}"),)


class WordsView(View):
    """A view with a list, for trying the shell."""

    hints: ClassVar[tuple[str, ...]] = ("app.open", "decide.approve")

    def compose(self) -> ComposeResult:
        yield RowList()

    def show(self, state: AppState) -> None:
        self.query_one(RowList).show(Rows([str(number) for number in range(state.generation, state.generation + 40)]))


@pytest.fixture(autouse=True)
def words_views(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every view is the same simple one."""
    makers: dict[str, Callable[[], View]] = dict.fromkeys(VIEW_MAKERS, WordsView)
    monkeypatch.setattr("handoff_tui.tui.main_screen.VIEW_MAKERS", makers)


@at_desk(make_state(reviewer="ada@example.com", state=Loaded(build_state())))
async def test_bars_say_where_one_is_and_what_can_be_done(pilot: Pilot[None]) -> None:
    """Title, tabs, whose turn it is, keys: nothing is wider than the screen."""
    lines = (await settle(pilot)).splitlines()
    assert "1 needs you" in lines[0]
    assert lines[1].startswith("▐1 Queue 1 │ 2 Log │ 3 Metrics")
    assert lines[-1].startswith(" ↵ open  a approve…")
    assert all(len(line) <= 80 for line in lines)


@at_desk(AppState())
async def test_cursor_holds_on_to_its_row_when_the_list_changes(pilot: Pilot[None], app: StillApp) -> None:
    """Rows come before it; it stays on the same one, at the same place on the screen."""
    before = await settle(pilot, *["j"] * 25)
    place = next(index for index, line in enumerate(before.splitlines()) if line.startswith("▸ row 25"))
    app.give(AppState(generation=5))
    after = await settle(pilot)
    assert after.splitlines()[place].startswith("▸ row 25")


@at_desk(AppState())
async def test_refused_action_says_why(pilot: Pilot[None], app: StillApp) -> None:
    """Its hint is in brackets, its key answers with the reason, and nothing is asked of the desk."""
    shown = await settle(pilot, "a")
    assert "a (approve…)" in shown
    assert "Approve: no handoff selected" in shown
    assert not any(isinstance(one, DecisionWanted) for one in app.asked)


@at_desk(make_state(reviewer="ada@example.com"))
async def test_digits_choose_the_tabs_of_the_level_and_escape_goes_up(pilot: Pilot[None], app: StillApp) -> None:
    """The n-th tab in view; a review opens with its handoff, and q quits from anywhere in one key."""
    await settle(pilot, "2")
    assert app.main_screen.view_name == "log"
    assert "There are 3 tabs here" in await settle(pilot, "6")
    await settle(pilot, "escape")
    assert app.main_screen.view_name == "queue"
    app.main_screen.post_message(HandoffOpened(make_state().inbox[0].key))
    await settle(pilot)
    assert app.main_screen.view_name == "overview"
    await settle(pilot, "2")
    assert app.main_screen.view_name == "changes"
    await settle(pilot, "escape")
    assert app.main_screen.view_name == "queue"
    app.main_screen.post_message(HandoffOpened(make_state().inbox[0].key, "history"))
    await settle(pilot, "q")
    assert not app.is_running or app._exit


@at_desk(make_state())
async def test_escape_leads_back_to_the_tab_that_led_here(pilot: Pilot[None], app: StillApp) -> None:
    """Once; from there it goes up a level."""
    app.main_screen.post_message(HandoffOpened(make_state().inbox[0].key))
    await settle(pilot)
    app.main_screen.post_message(ViewWanted("evidence"))
    await settle(pilot)
    assert app.main_screen.view_name == "evidence"
    await settle(pilot, "escape")
    assert app.main_screen.view_name == "overview"
    await settle(pilot, "escape")
    assert app.main_screen.view_name == "queue"


def test_app_opens_at_a_handoff_and_a_tab() -> None:
    """By its id; one that is not there is said, and the queue stays."""
    state = make_state(state=Loaded(build_state()))

    async def script(pilot: Pilot[None]) -> None:
        screen = await settle(pilot)
        app = get_app(pilot)
        assert app.main_screen.view_name == ("changes" if app._opening == ("H-1", "changes") else "queue")
        assert ('No handoff is called "H-9" here' in screen) is (app._opening == ("H-9", "changes"))

    for name in ("H-1", "H-9"):
        app = StillApp(state)
        app._opening = (name, "changes")
        drive(app, script)


@at_desk(AppState())
async def test_help_and_palette_run_what_is_chosen(pilot: Pilot[None], app: StillApp) -> None:
    """Typing filters; Enter performs; a refused one says why instead."""
    await settle(pilot, "ctrl+p", *"tabs: log", "enter")
    assert app.main_screen.view_name == "log"
    shown = await settle(pilot, "question_mark", *"approve", "enter")
    assert "no handoff selected" in shown
    await settle(pilot, "escape")
    assert app.screen is app.main_screen


@at_desk(AppState())
async def test_theme_is_switched_live(pilot: Pilot[None], app: StillApp) -> None:
    """The whole screen, at once, without losing the place."""
    before = await settle(pilot, "j", "j")
    after = await settle(pilot, "T", *"high-contrast", "enter")
    assert app.ink.theme.name == "high-contrast"
    assert after == before


@pytest.mark.parametrize("size", [(80, 24), (100, 30), (160, 50), (200, 60)])
@at_desk(make_state())
async def test_nothing_leaves_the_screen(pilot: Pilot[None], size: tuple[int, int]) -> None:
    """No widget is laid out beyond the screen's edge."""
    for widget in pilot.app.screen.walk_children(Widget):
        if widget.display and widget.region.area:
            assert pilot.app.screen.region.contains_region(widget.region), widget


@at_desk(make_state(), size=(50, 12))
async def test_tiny_screen_says_what_it_needs(pilot: Pilot[None]) -> None:
    """Below the least size the state is still told."""
    assert "Needs 60x16, is 50x12" in await settle(pilot)


@at_desk(AppState())
async def test_find_line_takes_letters_and_gives_the_focus_back(pilot: Pilot[None], app: StillApp) -> None:
    """Letters typed into it do nothing else; escape ends it."""
    shown = await settle(pilot, "slash", *"qa4")
    assert " / qa4" in shown
    assert app.main_screen.view_name == "queue"
    await settle(pilot, "escape", "2")
    assert app.main_screen.view_name == "log"


@at_desk(AppState())
async def test_most_urgent_handoff_is_chosen_where_none_is(pilot: Pilot[None], app: StillApp) -> None:
    """Whatever view is open when the first state arrives."""
    await settle(pilot, "2")
    app.give(replace(make_state(), chosen=None))
    await settle(pilot)
    assert [one.key for one in list_asked(pilot, HandoffChosen)] == [make_state().inbox[0].key]
