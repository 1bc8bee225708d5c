"""Opens the app, and leaves the terminal as it was whatever happens."""

from __future__ import annotations

import asyncio
import gc
import signal
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from handoff_tui.config.theme import peek_theme
from handoff_tui.tui.app import ReviewApp
from handoff_tui.tui.drawing.terminal import outlive_terminal

if TYPE_CHECKING:
    from handoff_tui.tui.drawing.appearance import Appearance

_ENDING = (signal.SIGTERM, signal.SIGHUP)
"""Sent by a closed window or a logout: by default they end a program where it stands, with the screen still its own."""


def run_app(starts: Sequence[Path], *, theme: str | None = None, read_only: bool = False) -> tuple[str, ...]:
    """Runs until the user leaves; names the agents that go on.

    What went wrong is raised here, after the terminal was given back.
    """

    def look() -> Appearance:
        from handoff_tui.tui.drawing.appearance import load_appearance  # noqa: PLC0415 - all settings: after the first paint

        return load_appearance(theme, read_only=read_only)

    app = ReviewApp(starts, peek_theme(theme), look)
    app.driver_class = outlive_terminal(app.driver_class)
    gc.freeze()  # what was imported stays; later collections pass over it
    heard = asyncio.run(_run(app))
    if heard:  # the terminal is as it was; whoever sent it learns that it was heard
        signal.raise_signal(heard[0])
    if app.fault is not None:
        raise app.fault
    runs = app.state.activity.runs if app.state is not None else ()
    return tuple(f"{key.handoff} · {key.phase}" for key in runs)


async def _run(app: ReviewApp) -> list[signal.Signals]:
    """Runs the app; the signals that ended it."""
    heard: list[signal.Signals] = []

    def end(number: signal.Signals) -> None:
        heard.append(number)
        app.exit()

    loop = asyncio.get_running_loop()
    for number in _ENDING:
        loop.add_signal_handler(number, partial(end, number))
    await app.run_async()
    return heard
