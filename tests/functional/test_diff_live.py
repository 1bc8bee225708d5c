"""The diff over a real repository, with the desk that reads it: read, marked, remarked on, changed underneath."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from textual.pilot import Pilot

from handoff_tui.config.theme import load_theme
from handoff_tui.tui.app import ReviewApp
from handoff_tui.tui.drawing.appearance import Appearance
from tests.support.desk_app import read_screen
from tests.support.fingerprint import compare_fingerprints, read_fingerprint
from tests.support.live_desks import build_work
from tests.support.repositories import RepositoryBuilder
from tests.support.waiting import LONGEST_SECONDS

LONG = "".join(f"value_{number} = {number}\n" for number in range(200))


@pytest.fixture
def work(builder: RepositoryBuilder) -> RepositoryBuilder:
    """Two commits: the second changes two files."""
    build_work(builder).write("src/part.py", LONG).commit("the base").tag("zero")
    changed = LONG.replace("value_100 = 100\n", "value_100 = 'a hundred'\n")
    return builder.write("src/part.py", changed).write("src/other.py", "value = 4\n").commit("the work")


async def see(pilot: Pilot[None], *wanted: str) -> str:
    """The screen, as soon as it has all of these."""
    app = pilot.app
    assert isinstance(app, ReviewApp)
    deadline = time.monotonic() + LONGEST_SECONDS
    while not all(words in (screen := read_screen(app)) for words in wanted):
        assert time.monotonic() < deadline, f"{wanted} never came:\n{screen}"
        await pilot.pause(0.05)
    return screen


def sit_down(folder: Path, script: Callable[[Pilot[None]], Awaitable[None]]) -> None:
    """The whole app over a folder, with what changed since the tag in view."""
    look = Appearance(load_theme("dark", None))
    app = ReviewApp((folder,), look.theme, lambda: look)

    async def run() -> None:
        async with app.run_test(size=(100, 40)) as pilot:
            await see(pilot, "H-1", "H-2", "live")
            await pilot.press("enter", "2")
            await see(pilot, "Files", "H-1_RESULTS.md")
            await pilot.press("D", *"zero", "enter")
            await see(pilot, "src/part.py", "src/other.py")
            await script(pilot)

    asyncio.run(run())
    assert app.fault is None


def test_reading_is_kept_over_two_sittings_and_drops_with_the_content(work: RepositoryBuilder) -> None:
    """Marks and comments are there when the app is opened again; a saved file is unread, the other one is not."""
    before = read_fingerprint(work.folder)

    async def first(pilot: Pilot[None]) -> None:
        await pilot.press("j")
        await see(pilot, "value_100 = 'a hundred'", "97 lines hidden")
        await pilot.press("m", "k", "m", "j", "enter", "right_square_bracket", "j", "c")
        await see(pilot, "Comment on src/part.py:101")
        await pilot.press(*"why", "enter")
        await see(pilot, "your draft on 101: why", "2 of 2 read")

    async def second(pilot: Pilot[None]) -> None:
        await pilot.press("j")
        await see(pilot, "your draft on 101: why", "2 of 2 read")
        work.write("src/part.py", LONG + "more = 1\n")
        await see(pilot, "more = 1", "1 of 2 read")

    sit_down(work.folder, first)
    assert compare_fingerprints(before, read_fingerprint(work.folder)) == []
    sit_down(work.folder, second)


def test_a_search_goes_on_in_the_other_changed_files(work: RepositoryBuilder) -> None:
    """From a file without the text to the one that has it, also where it was deleted; `n` and `N` wrap."""

    async def script(pilot: Pilot[None]) -> None:
        await pilot.press("enter", "slash", *"hundred", "enter")
        await see(pilot, "1 changed line in 1 file", "▸      101 │ + value_100 = 'a hundred'")
        await pilot.press("slash", *"value", "enter")
        await see(pilot, "4 changed lines in 2 files")
        await pilot.press("n")
        await see(pilot, "▸   1      │ - value = 2")
        await pilot.press("n")
        await see(pilot, "▸        1 │ + value = 4")
        await pilot.press("n")
        await see(pilot, "▸ 101      │ - value_100 = 100")
        await pilot.press("N")
        await see(pilot, "▸        1 │ + value = 4")
        await pilot.press("slash", *"value_99", "enter")
        await see(pilot, "▸ 100  100 │   value_99 = 99", "Only in unchanged lines of this file")
        await pilot.press("slash", *"zzz", "enter")
        await see(pilot, 'No matches for "zzz" in the changed text')

    sit_down(work.folder, script)


def test_the_list_keeps_the_files_that_have_the_text(work: RepositoryBuilder) -> None:
    """In the list of files, `/` filters by path and by changed text; `enter` opens the only one, at the text."""

    async def script(pilot: Pilot[None]) -> None:
        await pilot.press("slash", *"hundred")
        screen = await see(pilot, "1 of 2 shown")
        assert "○M   src/other.py" not in screen
        await pilot.press("enter")
        await see(pilot, "▸      101 │ + value_100 = 'a hundred'", "0 of 2 read")
        await pilot.press("tab", "slash", *"value")
        await see(pilot, "2 of 2 shown")
        await pilot.press("enter")
        await see(pilot, "2 of 2 shown", "○M   src/other.py")

    sit_down(work.folder, script)


def test_a_search_confirmed_at_once_opens_the_only_file_too(work: RepositoryBuilder) -> None:
    """Whether the changed lines were read before `enter` makes no difference."""

    async def script(pilot: Pilot[None]) -> None:
        await pilot.press("slash", *"hundred", "enter")
        await see(pilot, "▸      101 │ + value_100 = 'a hundred'", "0 of 2 read")

    sit_down(work.folder, script)
