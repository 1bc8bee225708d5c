"""Screens as committed text: what a person would see, compared line by line."""

from __future__ import annotations

import os
from pathlib import Path

from textual.pilot import Pilot

from tests.support.desk_app import StillApp, read_screen

FOLDER = Path(__file__).parents[1] / "functional" / "snapshots"
_WRITES = os.environ.get("HANDOFF_TUI_WRITE_GOLDEN") == "1"


def get_app(pilot: Pilot[None]) -> StillApp:
    assert isinstance(pilot.app, StillApp)
    return pilot.app


async def settle(pilot: Pilot[None], *keys: str) -> str:
    """The screen after some keys, when no message is left to be handled and two frames are equal."""
    for key in keys:
        await pilot.press(key)
    last = ""
    for _ in range(200):
        await pilot.pause()
        now = read_screen(get_app(pilot))
        if now == last and not _has_messages(get_app(pilot)):
            break
        last = now
    return last


def _has_messages(app: StillApp) -> bool:
    """On a busy machine a frame can be drawn between two messages."""
    pumps = (app, *app.screen.walk_children(with_self=True))
    return any(pump._message_queue.qsize() + len(pump._next_callbacks) > 0 for pump in pumps)


def cut_view(pilot: Pilot[None], screen: str) -> str:
    """Only the view in the middle: what stands around it has tests of its own."""
    region = get_app(pilot).desk.view.region
    lines = [line.ljust(region.right)[region.x : region.right].rstrip() for line in screen.splitlines()]
    return "\n".join(lines[region.y : region.bottom])


def compare_screen(name: str, screen: str) -> None:
    """Equal to the committed one; HANDOFF_TUI_WRITE_GOLDEN=1 writes it anew."""
    place = FOLDER / f"{name}.txt"
    if _WRITES:
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(f"{screen.rstrip()}\n", encoding="utf-8")
    assert place.is_file(), f"{place.name} is not there: HANDOFF_TUI_WRITE_GOLDEN=1 writes it"
    assert screen.rstrip().split("\n") == place.read_text(encoding="utf-8").rstrip().split("\n")
