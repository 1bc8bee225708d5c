"""What a reviewer would stumble over, each held by a test."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.pilot import Pilot

from handoff_tui.config.layer import SettingRow
from handoff_tui.core.classes import replace
from handoff_tui.live.state.app import Drafts, Loaded
from handoff_tui.log.review_record import Comment
from handoff_tui.tui import messages
from handoff_tui.tui.dialogs.lists import CONCEPTS, GLYPHS
from tests.functional.test_changes_view import DESK, FILES, LAMP, SESSION, show_file
from tests.support.desk_app import StillApp, drive
from tests.support.desk_states import make_item
from tests.support.diffs import build_shown
from tests.support.screens import at_desk, get_app, list_asked, settle
from tests.support.view_states import DESK as LOGGED
from tests.support.view_states import VIEW, build_desk

pytestmark = pytest.mark.usefixtures("still_clock")


def test_screenshot_goes_to_the_pictures_and_never_into_the_repository(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Wherever the app was started."""
    repository, pictures = tmp_path / "repository", tmp_path / "pictures"
    repository.mkdir()
    monkeypatch.chdir(repository)
    monkeypatch.setenv("XDG_PICTURES_DIR", str(pictures))

    async def script(pilot: Pilot[None]) -> None:
        await settle(pilot, "ctrl+p", *"screenshot", "enter")

    drive(StillApp(DESK), script)
    assert [one.suffix for one in pictures.iterdir()] == [".svg"]
    assert list(repository.iterdir()) == []


def test_forged_entry_is_under_no_green_tick_and_not_counted_as_signed() -> None:
    """Neither in the tab nor in the status line of the log."""

    async def script(pilot: Pilot[None]) -> None:
        screen = await settle(pilot, "2")
        assert "2 Log !1" in screen.splitlines()[1]
        assert "! intact · 3 signed entries, 1 refused, 1 void" in screen
        assert "✓ intact" not in screen

    drive(StillApp(LOGGED), script, (120, 30))
    assert VIEW.total == 5


def test_position_in_the_changes_is_kept_when_leaving_and_coming_back() -> None:
    """In another tab, and in another file."""
    session = show_file(
        SESSION, build_shown([f"line {n}" for n in range(60)], [f"other {n}" for n in range(60)], FILES[1].change)
    )
    lamp = show_file(LAMP, build_shown(["a"], ["b"], FILES[0].change))

    async def script(pilot: Pilot[None]) -> None:
        app = get_app(pilot)
        await settle(pilot, "enter", "2", "j", "enter", *["j"] * 30)
        before = await settle(pilot)
        assert await settle(pilot, "1", "2") == before
        app.give(lamp)
        await settle(pilot)
        app.give(session)
        lines = (await settle(pilot)).splitlines()
        kept = next(line for line in before.splitlines() if line.startswith("▸"))
        assert kept in lines

    drive(StillApp(session), script)


def test_selection_may_begin_on_a_removed_line() -> None:
    """The comment reaches from where the line was to the last one, and names what is gone."""
    shown = show_file(SESSION, build_shown(["a", "b", "c"], ["a", "c", "d"], FILES[1].change))

    async def script(pilot: Pilot[None]) -> None:
        await settle(pilot, "enter", "2", "j", "enter", "right_square_bracket", "v", "j", "j", "c", "x", "enter")
        [comment] = [one.comment for one in list_asked(pilot, messages.CommentWritten)]
        assert (comment.line, comment.end_line) == (2, 3)
        assert comment.text == "(deleted line 2) x"

    drive(StillApp(replace(shown, drafts=Drafts())), script)


@at_desk(build_desk())
async def test_everything_is_found_by_name_from_anywhere(pilot: Pilot[None], app: StillApp) -> None:
    """Handoffs, checks, entries, settings, themes and actions; the best match is taken, and nothing says so."""
    app.main_screen._look = replace(app.main_screen._look, settings=(SettingRow("limits.commits", 50, "default"),))
    for typed, words in (
        ("h-1", "handoff The title of H-1"),
        ("tests-unit", "check tests-unit"),
        ("dddddd", "entry dddddddddddd approve H-1"),
        ("limits.commits", "setting limits.commits"),
        ("high-contrast", "theme high-contrast"),
        ("time travel", "Time travel: time travel…"),
    ):
        screen = await settle(pilot, "ctrl+p", *typed)
        assert f"▸ {words}" in screen, typed
        await settle(pilot, "escape")
    assert 'No matches for "qqqq"' in await settle(pilot, "ctrl+p", *"qqqq")
    await settle(pilot, "escape")
    await settle(pilot, "ctrl+p", *"limits.commits", "enter")
    assert "limits.commits = 50 (default)" in await settle(pilot)


@at_desk(build_desk(), size=(100, 30))
async def test_help_explains_words_and_glyphs(pilot: Pilot[None]) -> None:
    """Each concept and each glyph in one line."""
    for typed, words in (("baseline", CONCEPTS["baseline"]), ("sent back", GLYPHS["↩"])):
        assert words in await settle(pilot, "question_mark", *typed)
        await settle(pilot, "escape")


def test_drafts_are_listed_and_gone_to() -> None:
    """With `C`, from any tab."""
    state = replace(DESK, drafts=Drafts(comments=(Comment(text="why?", path=SESSION, line=5),)))

    async def script(pilot: Pilot[None]) -> None:
        screen = await settle(pilot, "enter", "C")
        assert "Comments: 1 draft" in screen
        assert f"✎ {SESSION}:5  why?" in screen
        await settle(pilot, "enter")
        assert get_app(pilot).main_screen.view_name == "changes"

    drive(StillApp(state), script)


@at_desk(replace(DESK, inbox=(*DESK.inbox, make_item("H-2"), make_item("H-3")), files=Loaded()))
async def test_next_handoff_is_one_key_and_keeps_the_tab(pilot: Pilot[None], app: StillApp) -> None:
    """`J` and `K`; at the end that is said."""
    await settle(pilot, "enter", "4", "J")
    assert [one.key.handoff for one in list_asked(pilot, messages.HandoffChosen)][-1] == "H-2"
    assert app.main_screen.view_name == "documents"
    assert "This is the first handoff" in await settle(pilot, "K")
