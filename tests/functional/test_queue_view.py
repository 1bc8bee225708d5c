"""The queue, driven as a person would."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.pilot import Pilot

from handoff_tui.core.classes import replace
from handoff_tui.live.state.app import AppState, Loaded, RepositoryPart, Trouble
from handoff_tui.log.gates.gate_state import Mover
from handoff_tui.status.inbox_item import HandoffKey, MeasuredGate, RiskFact, RiskKind
from handoff_tui.tui.messages import CopyWanted, HandoffChosen, HandoffOpened
from handoff_tui.tui.views.queue.view import QueueView
from tests.support.desk_app import StillApp, drive
from tests.support.desk_states import MOMENT, ROOT, build_state, make_item, read_desk
from tests.support.screens import at_desk, compare_looks, get_app, list_asked, settle

pytestmark = pytest.mark.usefixtures("still_clock")
RISK = RiskFact(kind=RiskKind.TESTS_REMOVED, text="2 tests are gone")
CLEAN = MeasuredGate(12, 12)
ITEMS = (
    make_item("lamp", since=MOMENT, risks=(RISK,))._replace(measured=CLEAN),
    make_item("kettle", since=MOMENT)._replace(measured=CLEAN),
    make_item("chair", mine=False, who=Mover.AGENT, agent="heron", phase="plan"),
)
DESK = AppState(
    repositories=(RepositoryPart(ROOT, "lamp", Loaded(build_state())),),
    inbox=ITEMS,
    chosen=ITEMS[0].key,
)


def list_chosen(pilot: Pilot[None]) -> list[str]:
    return [message.key.handoff for message in list_asked(pilot, HandoffChosen)]


@at_desk(DESK)
async def test_queue_shows_what_waits_and_why(pilot: Pilot[None]) -> None:
    """The first is chosen at once; moving chooses another, and its reason follows. Enter opens the review."""
    screen = await settle(pilot)
    assert "▸ The title of lamp" in screen
    assert "READY TO APPROVE · 2" in screen
    assert "12 checks pass" in screen.splitlines()[-4]
    screen = await settle(pilot, "j", "j")
    assert "▸ The title of chair" in screen
    assert list_chosen(pilot) == ["lamp", "kettle", "chair"]
    await settle(pilot, "enter")
    assert get_app(pilot).main_screen.view_name == "overview"


@at_desk(DESK)
async def test_cursor_is_on_the_handoff_that_one_comes_back_from(pilot: Pilot[None]) -> None:
    """Also if it was opened by its id, and stays there when the list is drawn again."""
    screen = get_app(pilot).main_screen
    screen.post_message(HandoffOpened(ITEMS[1].key))
    await settle(pilot)
    await settle(pilot, "escape")
    queue = screen.query_one(QueueView)
    queue.redraw()
    assert queue.handoff == ITEMS[1].key


@at_desk(DESK, size=(100, 30))
async def test_reason_stands_below_each_row_where_there_is_room(pilot: Pilot[None]) -> None:
    """The cursor steps over it."""
    lines = (await settle(pilot, "j")).splitlines()
    place = next(number for number, line in enumerate(lines) if "▸ The title of kettle" in line)
    assert lines[place + 1].strip() == "12 checks pass"


@at_desk(DESK, size=(160, 50))
async def test_overview_of_the_row_is_beside_the_list_where_there_is_room(pilot: Pilot[None]) -> None:
    """With what the person can do."""
    screen = await settle(pilot)
    assert "─ The title of lamp · lamp ─" in screen
    assert "you can    a approve it" in screen


@at_desk(replace(DESK, inbox=(make_item("old", mine=False, who=Mover.NOBODY), *ITEMS)))
async def test_folded_group_opens_with_enter(pilot: Pilot[None]) -> None:
    """And folds again."""
    screen = await settle(pilot, "G")
    assert "▸ DONE · 1   enter unfolds" in screen
    assert "The title of old" in await settle(pilot, "enter")
    assert "The title of old" not in await settle(pilot, "enter")


@at_desk(AppState(repositories=DESK.repositories, inbox=ITEMS[1:], chosen=ITEMS[1].key))
async def test_what_becomes_ready_stays_in_view_until_somebody_moves(pilot: Pilot[None]) -> None:
    """The cursor is on the first row, whatever comes before it; then it stays where it was put."""
    many = tuple(make_item(f"new-{number:02}", since=MOMENT, risks=(RISK, RISK)) for number in range(30))
    get_app(pilot).give(replace(DESK, inbox=(*(item._replace(measured=CLEAN) for item in many), *ITEMS)))
    assert "▸ The title of new-00" in await settle(pilot)


@at_desk(DESK)
async def test_filter_narrows_with_every_letter_and_escape_ends_it(pilot: Pilot[None]) -> None:
    """The status line says how many there are; that there are none is said too."""
    screen = await settle(pilot, "slash", "k", "e", "t")
    assert "kettle" in screen
    assert "chair" not in screen
    assert "1 of 3 handoffs" in screen
    screen = await settle(pilot, "x")
    assert 'No matches for "ketx"' in screen
    screen = await settle(pilot, "escape")
    assert "chair" in screen


@at_desk(DESK)
async def test_filter_that_is_kept_stays_in_the_status_line(pilot: Pilot[None]) -> None:
    """Enter leaves the field and keeps the rows; the cursor is back in the list."""
    screen = await settle(pilot, "slash", *"plan", "enter", "k")
    assert 'filter "plan": 1' in screen
    assert "▸ The title of chair" in screen


@at_desk(DESK)
async def test_news_never_move_the_cursor(pilot: Pilot[None]) -> None:
    """Rows come before it; it stays on its handoff, and a wait for others changes nothing."""
    await settle(pilot, "j")
    more = (*(make_item(f"new-{number}", since=MOMENT, risks=(RISK, RISK)) for number in range(30)), *ITEMS)
    get_app(pilot).give(replace(DESK, inbox=more))
    screen = await settle(pilot)
    assert "▸ The title of kettle" in screen
    assert list_chosen(pilot)[-1] == "kettle"


@at_desk(AppState(repositories=(RepositoryPart("/a", "a"),)))
async def test_inbox_without_handoffs_and_with_a_broken_repository(pilot: Pilot[None]) -> None:
    """Reading, empty and broken are three different things, each in words."""
    empty = AppState(repositories=(RepositoryPart("/a", "a", Loaded(build_state())),))
    trouble = Trouble("/b is not inside a git repository", "Go to a repository.")
    broken = replace(DESK, repositories=(*DESK.repositories, RepositoryPart("/b", "shop", Loaded(trouble=trouble))))
    assert "Reading the repository…" in await settle(pilot)
    get_app(pilot).give(empty)
    assert "No handoffs in a" in await settle(pilot)
    get_app(pilot).give(broken)
    screen = await settle(pilot)
    assert "✗ shop  /b is not inside a git repository" in screen
    assert "✗ Can't be read: shop" in await settle(pilot, "j")
    assert "lamp" in screen


@at_desk(DESK)
async def test_copy_takes_the_id(pilot: Pilot[None]) -> None:
    """Of the handoff under the cursor."""
    await settle(pilot, "j", "y")
    assert CopyWanted("kettle", "the id") in get_app(pilot).asked


def test_name_of_a_handoff_is_shown_and_never_obeyed() -> None:
    """Markup, escape sequences and overrides come out as what they are."""
    nasty = make_item("lamp")._replace(key=HandoffKey(ROOT, "[red]\x1b[2J\u202ex[/]"))
    handoff = nasty.reviewed.handoff.model_copy(update={"title": "[red]\x1b[2J\u202ex[/]"})
    nasty = nasty._replace(reviewed=nasty.reviewed.model_copy(update={"handoff": handoff}))

    async def script(pilot: Pilot[None]) -> None:
        screen = await settle(pilot)
        assert "[red]␛[2J⟨U+202E⟩" in screen

    drive(StillApp(replace(DESK, inbox=(nasty,), chosen=nasty.key)), script, size=(160, 50))


def test_queue_of_the_sample_looks_as_committed(sample_repository: Path) -> None:
    """One line per row, two, and with the overview beside it."""

    async def script(pilot: Pilot[None]) -> None:
        await compare_looks(pilot, "queue")

    drive(StillApp(read_desk(sample_repository, "H-3", MOMENT)), script)


def test_cursor_stays_on_the_screen_when_the_terminal_shrinks() -> None:
    """And its row stays the chosen one."""
    items = tuple(make_item(f"H-{number:02}", since=MOMENT) for number in range(40))

    async def script(pilot: Pilot[None]) -> None:
        await settle(pilot, *["j"] * 15)
        await pilot.resize_terminal(80, 24)
        screen = await settle(pilot)
        assert "▸ The title of H-15" in screen
        await pilot.resize_terminal(120, 40)
        assert "▸ The title of H-15" in await settle(pilot)

    drive(StillApp(replace(DESK, inbox=items)), script, size=(120, 40))
