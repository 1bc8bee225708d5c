"""Opens the app, and restores the terminal whatever happens."""

from __future__ import annotations

import asyncio
import gc
import os
import selectors
import signal
from codecs import getincrementaldecoder
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from handoff_tui.config.theme import peek_look
from handoff_tui.tui.app import ReviewApp
from handoff_tui.tui.terminal_input import SteadyParser

if TYPE_CHECKING:
    from handoff_tui.tui.drawing.appearance import Appearance
from typing import Any, TextIO, cast

from textual.driver import Driver
from textual.drivers.linux_driver import LinuxDriver


class LastingFile:
    """A file that accepts everything, even if nobody is at the other end."""

    def __init__(self, file: TextIO) -> None:
        self._file = file

    def write(self, text: str) -> int:
        try:
            return self._file.write(text)
        except OSError:
            return len(text)

    def flush(self) -> None:
        try:
            self._file.flush()
        except OSError:
            return

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - whatever the file has
        return getattr(self._file, name)


_LOOK_SECONDS = 0.1
_MOST_BYTES = 4096


class OutlivingDriver(LinuxDriver):
    """The framework's driver, writing to a file that never fails, and reading whatever a terminal sends."""

    def __init__(self, *given: Any, **named: Any) -> None:  # noqa: ANN401 - as the framework calls it
        super().__init__(*given, **named)
        if self._file is not None:
            self._file = cast("Any", LastingFile(self._file))

    def run_input_thread(self) -> None:
        """Reads keys until the app ends. Bytes that aren't UTF-8 are a sign of their own; a lost terminal is silent."""
        parser, decoder = SteadyParser(self._debug), getincrementaldecoder("utf-8")("replace")
        with selectors.DefaultSelector() as selector:
            selector.register(self.fileno, selectors.EVENT_READ)
            while not self.exit_event.is_set():
                if selector.select(_LOOK_SECONDS) and (text := decoder.decode(self._read())):
                    for event in parser.feed(text):
                        self.process_message(event)
                for event in parser.tick():
                    self.process_message(event)

    def _read(self) -> bytes:
        try:
            came = os.read(self.fileno, _MOST_BYTES)
        except OSError:
            came = b""
        if not came:  # nobody is at the other end
            self.exit_event.wait(_LOOK_SECONDS)
        return came


def outlive_terminal(driver: type[Driver]) -> type[Driver]:
    """Returns a terminal driver that survives a lost terminal; other drivers are returned unchanged."""
    return OutlivingDriver if driver is LinuxDriver else driver


_ENDING = (signal.SIGTERM, signal.SIGHUP)
"""Sent by a closed window or a logout. By default they would kill the program without restoring the screen."""


def run_app(
    starts: Sequence[Path],
    *,
    theme: str | None = None,
    read_only: bool = False,
    ascii_only: bool = False,
    opening: tuple[str, str] | None = None,
    tour: bool = False,
) -> tuple[str, ...]:
    """Runs until the user quits; names the agents that keep running. `opening` is a handoff, and the tab to begin with.

    Errors are raised here, after the terminal has been restored.
    """

    def look() -> Appearance:
        from handoff_tui.tui.drawing.appearance import load_appearance  # noqa: PLC0415 - all settings: after the first paint

        return load_appearance(theme, read_only=read_only, ascii_only=ascii_only)

    first = peek_look(theme, ascii_only=ascii_only)
    app = ReviewApp(starts, first.theme, look, opening, tour=tour, ascii_only=first.ascii_only)
    app.driver_class = outlive_terminal(app.driver_class)
    gc.freeze()  # imported objects stay; later collections skip them
    heard = asyncio.run(_run(app))
    if heard:  # the terminal is restored; the sender learns that the signal was received
        signal.raise_signal(heard[0])
    if app.fault is not None:
        raise app.fault
    runs = app.state.activity.runs if app.state is not None else ()
    return tuple(f"{key.handoff} · {key.phase}" for key in runs)


async def _run(app: ReviewApp) -> list[signal.Signals]:
    """Runs the app; returns the signals that ended it."""
    heard: list[signal.Signals] = []

    def end(number: signal.Signals) -> None:
        heard.append(number)
        app.exit()

    loop = asyncio.get_running_loop()
    for number in _ENDING:
        loop.add_signal_handler(number, partial(end, number))
    await app.run_async()
    return heard
