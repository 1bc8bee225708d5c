"""Checks that a person asked for: commands among them, with progress, and an end when they say so."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from handoff_tui.checks.report import CheckReport
from handoff_tui.checks.result import CheckResult
from handoff_tui.core.errors import HandoffError
from handoff_tui.live.feed.repository_feed import build_trouble
from handoff_tui.live.keyed_worker import Lane
from handoff_tui.live.state.desk import ChecksProgress, DeskState, Loaded
from handoff_tui.live.state_store import Board
from handoff_tui.status.inbox_item import HandoffKey
from handoff_tui.system.clock import read_now

if TYPE_CHECKING:
    from handoff_tui.live.feed.snapshot import Scene

_KEY = "asked"


class AskedChecks:
    """One run at a time; a later one takes the place of an earlier one.

    `on_done` is called after each, with whether its results are shown: they are not when files have changed meanwhile.
    """

    def __init__(
        self,
        board: Board,
        lane: Lane,
        find_scene: Callable[[DeskState], Scene | None],
        on_done: Callable[[bool], None],
    ) -> None:
        self._board = board
        self._lane = lane
        self._find_scene = find_scene
        self._on_done = on_done
        self._commands: dict[str, dict[str, CheckResult]] = {}

    def list_commands(self, root: str) -> tuple[CheckResult, ...]:
        """The last results of commands that were run here; who takes them compares their inputs."""
        return tuple(self._commands.get(root, {}).values())

    def run(self, only: tuple[str, ...], *, fresh: bool) -> None:
        key = self._board.state.chosen
        if key is not None:
            self._lane.cancel(_KEY)
            self._lane.submit(_KEY, lambda cancel: self._run(key, only, cancel, fresh=fresh))

    def cancel(self) -> None:
        self._lane.cancel(_KEY)

    def _run(self, key: HandoffKey, only: tuple[str, ...], cancel: threading.Event, *, fresh: bool) -> None:
        state = self._board.state
        scene = self._find_scene(state)
        if scene is None or state.chosen != key:
            return
        from handoff_tui.live.feed.checking import run_asked  # noqa: PLC0415 - after the first paint

        started = read_now()

        def tell(result: CheckResult | None, done: int, total: int) -> None:
            progress = ChecksProgress(done, total, result.id if result else "", started, only)
            self._board.change(lambda now: replace(now, running=progress) if now.chosen == key else now)

        tell(None, 0, 0)
        shown = False
        try:
            report, commands = run_asked(scene, (key.handoff, state.phase, only), tell, cancel, fresh=fresh)
        except (HandoffError, OSError) as refused:
            trouble = build_trouble(refused)
            self._show(key, lambda loaded: replace(loaded, trouble=trouble))
        else:
            self._commands.setdefault(key.root, {}).update({result.id: result for result in commands})
            shown = self._find_scene(self._board.state) is scene
            if shown:  # else newer results are there already, or on their way
                self._show(key, lambda loaded: Loaded(_merge(loaded.value, report), at=read_now()))
        finally:
            self._board.change(lambda now: now if now.running is None else replace(now, running=None))
        self._on_done(shown)

    def _show(self, key: HandoffKey, change: Callable[[Loaded[CheckReport]], Loaded[CheckReport]]) -> None:
        def apply(state: DeskState) -> DeskState:
            return replace(state, checks=change(state.checks)) if state.chosen == key else state

        self._board.change(apply)


def _merge(before: CheckReport | None, report: CheckReport) -> CheckReport:
    """Where only some checks were asked for, the others keep what they said."""
    if before is None or len(before.results) <= len(report.results):
        return report
    from handoff_tui.live.feed.checking import merge_reports  # noqa: PLC0415 - after the first paint

    return merge_reports(before, report)
