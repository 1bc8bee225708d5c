"""Screens as committed text: what a person would see, compared line by line."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeVar

from textual.message import Message
from textual.pilot import Pilot

from handoff_tui.live.state.app import AppState
from handoff_tui.tui.messages import ThemeChosen
from tests.support.desk_app import StillApp, drive, read_screen
from tests.support.golden import compare_golden

FOLDER = Path(__file__).parents[1] / "functional" / "snapshots"


_THEMES = ("light", "monochrome", "dark")
_SIZES = {(80, 24): _THEMES, (100, 30): _THEMES[-1:], (160, 50): _THEMES, (200, 60): _THEMES[-1:]}
"""The sizes in which a view is compared, and the themes: each in a narrow and in a wide one."""
_EMPTY = AppState()
_Asked = TypeVar("_Asked", bound=Message)
_Script = Callable[..., Awaitable[None]]
_Meet = Callable[["Pilot[None]", dict[str, Any]], Awaitable[dict[str, Any]]]
_OWN = frozenset({"pilot", "app", "hands"})


def at_desk(
    shown: AppState = _EMPTY,
    *,
    size: tuple[int, int] = (80, 24),
    theme: str = "dark",
    meet: _Meet | None = None,
    **look: bool,
) -> Callable[[_Script], Callable[..., None]]:
    """Makes a test of a script: it gets the pilot, and the app if it asks for it, over a state of the app.

    `state`, `size` and `theme` can be parameters of the test instead; `meet` adds what the script needs besides.
    """

    def decorate(script: _Script) -> Callable[..., None]:
        @functools.wraps(script)
        def test(**given: Any) -> None:  # noqa: ANN401 - fixtures and parameters
            app = StillApp(given.get("state", shown), given.get("theme", theme), **look)

            async def run(pilot: Pilot[None]) -> None:
                own = {"pilot": pilot, "app": app} | (await meet(pilot, given) if meet else {})
                await script(**given, **{name: own[name] for name in own if name in wanted})

            drive(app, run, given.get("size", size))

        wanted = inspect.signature(script).parameters
        kept = [parameter for name, parameter in wanted.items() if name not in _OWN]
        test.__signature__ = inspect.Signature(kept)  # type: ignore[attr-defined]  # pytest reads it
        return test

    return decorate


def list_asked(pilot: Pilot[None], kind: type[_Asked]) -> list[_Asked]:
    """What of this kind the views have asked for."""
    return [one for one in get_app(pilot).asked if isinstance(one, kind)]


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
    region = get_app(pilot).main_screen.view.region
    lines = [line.ljust(region.right)[region.x : region.right].rstrip() for line in screen.splitlines()]
    return "\n".join(lines[region.y : region.bottom])


async def compare_looks(pilot: Pilot[None], name: str, *, whole: bool = False) -> None:
    """The view as committed in four sizes, and the same in every theme: nothing is said by colour alone."""
    for (width, height), themes in _SIZES.items():
        await pilot.resize_terminal(width, height)
        shown = set()
        for theme in themes:
            get_app(pilot).post_message(ThemeChosen(theme))
            screen = await settle(pilot)
            shown.add(screen if whole else cut_view(pilot, screen))
        (screen,) = shown
        compare_screen(f"{name}-{width}x{height}", screen)


def compare_screen(name: str, screen: str) -> None:
    """As the committed one."""
    compare_golden(FOLDER / f"{name}.txt", f"{screen.rstrip()}\n")
