"""The app on a terminal without our glyphs: whatever it draws is ASCII."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from textual.pilot import Pilot

import handoff_tui
from handoff_tui.core.classes import replace
from handoff_tui.live.state.app import Loaded
from handoff_tui.tui.drawing.theming import ASCII_GLYPHS
from handoff_tui.tui.first_paint import REPOSITORY, REVIEW
from tests.functional.test_changes_view import DESK as CHANGED
from tests.functional.test_decision_screen import DESK as DECIDING
from tests.functional.test_decision_screen import REJECTING
from tests.functional.test_documents_view import DESK as DOCUMENTED
from tests.support.desk_app import StillApp, drive
from tests.support.screens import get_app, settle
from tests.support.view_states import COMPARISON, build_desk, build_travel, make_agent_state, make_run

pytestmark = pytest.mark.usefixtures("still_clock")

_SOURCE = Path(handoff_tui.__file__).parent
_TERMINAL, _CELLS = "tui", "core.text.page"
"""The room that draws, and the module that whatever else is drawn is made with."""
_BOXES = ("question_mark", "ctrl+p", "A", "T", "c", "C", "ampersand", "i", "P", "slash", "O")
_STATES = {
    "debugging": build_desk(comparison=Loaded(COMPARISON)),
    "changes": CHANGED,
    "documents": DOCUMENTED,
    "agent": make_agent_state(make_run()),
    "past": build_desk(travel=build_travel()),
}


@pytest.mark.parametrize("state", _STATES)
@pytest.mark.parametrize("size", [(80, 24), pytest.param((160, 50), marks=pytest.mark.slow)])
def test_every_tab_is_drawn_in_ascii(state: str, size: tuple[int, int]) -> None:
    """Frames and scroll bars too."""

    async def script(pilot: Pilot[None]) -> None:
        for number in range(1, len(REPOSITORY) + 1):
            check(await settle(pilot, str(number)))
        await settle(pilot, "1", "enter")
        for number in range(1, len(REVIEW) + 1):
            check(await settle(pilot, str(number), "V"))
            check(await settle(pilot, "tab", "D"))

    drive(StillApp(_STATES[state], ascii_only=True), script, size)


@pytest.mark.parametrize("key", _BOXES)
def test_every_box_is_drawn_in_ascii(key: str) -> None:
    """With its frame, its fields, and what scrolls in it."""

    async def script(pilot: Pilot[None]) -> None:
        check(await settle(pilot, "enter", "2", key))

    drive(StillApp(CHANGED, ascii_only=True), script)


def test_decision_box_is_drawn_in_ascii() -> None:
    """While a reason is written."""

    async def script(pilot: Pilot[None]) -> None:
        await settle(pilot, "x")
        get_app(pilot).give(replace(DECIDING, decision=REJECTING))
        check(await settle(pilot, *"no"))

    drive(StillApp(DECIDING, ascii_only=True), script)


def check(screen: str) -> None:
    """What isn't ASCII is named with its line."""
    assert [line for line in screen.splitlines() if not line.isascii()] == []


def test_every_glyph_that_can_be_drawn_is_spelled() -> None:
    """Also those of states that no test shows: the text of every module that draws or makes cells."""
    unknown = {
        f"{glyph} in {path.relative_to(_SOURCE)}"
        for path in _SOURCE.rglob("*.py")
        for glyph in _list_glyphs(path)
        if not glyph.isascii() and ord(glyph) not in ASCII_GLYPHS
    }
    assert unknown == set()


def _list_glyphs(path: Path) -> set[str]:
    """The characters of all texts in a module that are drawn; none if it draws nothing."""
    source = path.read_text(encoding="utf-8")
    if _TERMINAL not in path.relative_to(_SOURCE).parts and _CELLS not in source:
        return set()
    constants = (node.value for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Constant))
    return {character for value in constants if isinstance(value, str) for character in value}
