"""`make pictures`: the screens in the README, drawn by the app itself from the demo."""

from __future__ import annotations

import asyncio
import os
import re
import tempfile
from collections.abc import Callable
from pathlib import Path

from textual.pilot import Pilot

from handoff_tui.cli.demo.demo import build_recent_demo, list_homes
from handoff_tui.live.state.app import AppState, DecisionStage
from handoff_tui.tui.app import ReviewApp
from handoff_tui.tui.drawing.appearance import load_appearance

_FOLDER = Path(__file__).resolve().parents[2] / "docs" / "pictures"
_SIZE = (100, 30)
_LONGEST_SECONDS = 120.0
_REASON = "Two tests are skipped and five are gone. Bring them back."
_KEYS = {" ": "space", ".": "full_stop"}


def draw_pictures(target: Path) -> None:
    """Builds the demo, opens the desk on it as one of its reviewers, and saves three screens."""
    with tempfile.TemporaryDirectory(prefix="handoff-tui-pictures-") as name:
        repository = build_recent_demo(Path(name) / "demo")
        os.environ["HOME"] = str(list_homes(repository)[0])
        look = load_appearance("dark")
        asyncio.run(_draw(ReviewApp([repository], look.theme, lambda: look), target))


async def _draw(app: ReviewApp, target: Path) -> None:
    async with app.run_test(size=_SIZE) as pilot:
        await _wait(pilot, app, lambda state: bool(state.inbox) and all(item.risks is not None for item in state.inbox))
        await _wait(pilot, app, lambda state: all(item.measured for item in state.inbox if item.waits_on_me))
        _save(app, target / "queue.svg")
        await pilot.press("slash", *"h-3", "enter", "enter")
        await _wait(pilot, app, lambda state: state.problems.value is not None)
        _save(app, target / "overview.svg")
        await pilot.press("x")
        await _wait(
            pilot, app, lambda state: state.decision is not None and state.decision.stage is DecisionStage.READY
        )
        await pilot.press(*(_KEYS.get(letter, letter) for letter in _REASON))
        _save(app, target / "decision.svg")
        await pilot.press("escape")


async def _wait(pilot: Pilot[None], app: ReviewApp, holds: Callable[[AppState], bool]) -> None:
    """Until the state is as wanted, and the screen is still."""
    async with asyncio.timeout(_LONGEST_SECONDS):
        while app.state is None or not holds(app.state):
            await pilot.pause(0.1)
    for _ in range(10):
        await pilot.pause(0.1)


def _save(app: ReviewApp, place: Path) -> None:
    """Without a font from elsewhere: the picture asks nobody for anything."""
    drawn = re.sub(r"@font-face \{.*?\}\s*", "", app.export_screenshot(title="handoff-tui"), flags=re.DOTALL)
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(drawn, encoding="utf-8")


if __name__ == "__main__":
    draw_pictures(_FOLDER)
