"""The app over a state given by hand: no desk behind it, what the views ask for is recorded."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

from textual.message import Message
from textual.pilot import Pilot

from handoff_tui.config.theme import load_theme
from handoff_tui.live.state.app import AppState
from handoff_tui.tui import messages
from handoff_tui.tui.app import ReviewApp
from handoff_tui.tui.drawing.appearance import Appearance

ASKED = tuple(one for one in vars(messages).values() if isinstance(one, type) and issubclass(one, Message))

Script = Callable[["Pilot[None]"], Awaitable[None]]


class StillApp(ReviewApp):
    """Shows one state until it is given another."""

    def __init__(
        self, state: AppState, theme: str = "dark", *, read_only: bool = False, ascii_only: bool = False
    ) -> None:
        self._own_look = Appearance(load_theme(theme, None), ascii_only=ascii_only, read_only=read_only)
        super().__init__((Path(),), self._own_look.theme, lambda: self._own_look)
        self._first = state
        self.asked: list[Message] = []

    def _begin(self) -> None:
        """The desk at once: there is nothing to load."""
        self.call_later(self.furnish, self._own_look, self._first)

    def give(self, state: AppState) -> None:
        """Another state, as the desk would tell it."""
        self._tell(state)

    def post_message(self, message: Message) -> bool:
        if isinstance(message, ASKED) and type(message) is not Message:
            self.asked.append(message)
        return super().post_message(message)


def read_screen(app: ReviewApp) -> str:
    """What is on the screen, as plain text, line by line, without blanks at the ends."""
    lines = app.screen._compositor.render_strips()
    return "\n".join("".join(segment.text for segment in strip).rstrip() for strip in lines)


def drive(app: ReviewApp, script: Script, size: tuple[int, int] = (80, 24)) -> None:
    """Runs the app without a terminal while the script presses keys and looks."""

    async def run() -> None:
        async with app.run_test(size=size) as pilot:
            while app._main is None:
                await pilot.pause()
            await pilot.pause()
            await script(pilot)

    asyncio.run(run())
