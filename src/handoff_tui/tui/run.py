"""Opens the app, and leaves the terminal as it was whatever happens."""

from __future__ import annotations

import gc
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from handoff_tui.config.peek import peek_theme
from handoff_tui.tui.app import DeskApp

if TYPE_CHECKING:
    from handoff_tui.tui.look import Look


def run_app(starts: Sequence[Path], *, theme: str | None = None, read_only: bool = False) -> None:
    """Runs until the user leaves. What went wrong is raised here, after the terminal was given back."""

    def look() -> Look:
        from handoff_tui.tui.look import load_look  # noqa: PLC0415 - all settings: after the first paint

        return load_look(theme, read_only=read_only)

    app = DeskApp(starts, peek_theme(theme), look)
    gc.freeze()  # what was imported stays; later collections pass over it
    app.run()
    if app.fault is not None:
        raise app.fault
