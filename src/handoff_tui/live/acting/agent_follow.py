"""Follows the agents of the handoff in view: which tries there are, how they go, and what the one in view prints."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from handoff_tui.agents.runs.run import RunKey, RunStatus
from handoff_tui.agents.runs.view import RunView
from handoff_tui.core.errors import HandoffError
from handoff_tui.live.feed.repository_feed import build_trouble
from handoff_tui.live.state.agents import AgentsView, AtWork, OutputPlace, OutputWindow, PhaseCommand
from handoff_tui.live.state.desk import DeskState, Loaded
from handoff_tui.live.state_store import Board
from handoff_tui.status.inbox_item import HandoffKey
from handoff_tui.system.clock import read_monotonic, read_now

if TYPE_CHECKING:
    from handoff_tui.handoffs.session import Desk
    from handoff_tui.live.acting.agent_follow_ups import AgentCourses
    from handoff_tui.live.acting.output_window import OutputWindows
    from handoff_tui.live.feed.snapshot import Scene

_TICK_SECONDS = 0.1
"""Output is shown at most so often."""
_RUNS_SECONDS = 0.5
_QUIET_SECONDS = 2.0
"""How often it is looked whether somebody else has started an agent."""
_ALIVE = frozenset({RunStatus.PREPARED, RunStatus.RUNNING, RunStatus.PAUSED})


class AgentFollower(threading.Thread):
    """Looks only while somebody needs it, or while an agent that was started here is at work."""

    def __init__(
        self,
        board: Board,
        windows: OutputWindows,
        courses: AgentCourses,
        find_scene: Callable[[DeskState], Scene | None],
        on_over: Callable[[str, RunKey], None],
        on_bug: Callable[[BaseException], None],
    ) -> None:
        super().__init__(name="agents", daemon=True)
        self._board, self._windows, self._courses, self._find_scene = board, windows, courses, find_scene
        self._on_over, self._on_bug = on_over, on_bug
        self._news = threading.Condition()
        self._stopped = False
        self._poked = True
        self._needed = False
        self._wanted: OutputPlace | None = None
        self._watched: dict[tuple[str, RunKey], Path] = {}
        """Runs that were started or taken up here, by repository: their end is not missed, whatever is in view."""
        self._looking: frozenset[RunKey] = frozenset()
        self._looked_at = 0.0
        self._settled: dict[RunKey, RunView] = {}
        """Runs that nothing more can become of."""
        self._agents: tuple[tuple[str, int], tuple[PhaseCommand, ...]] | None = None

    def need(self, *, needed: bool) -> None:
        self._poke(lambda: setattr(self, "_needed", needed))

    def want(self, place: OutputPlace | None) -> None:
        """The lines that are in view."""
        self._poke(lambda: setattr(self, "_wanted", place))

    def watch(self, root: str, common_dir: Path, key: RunKey) -> None:
        self._poke(lambda: self._watched.setdefault((root, key), common_dir))

    def list_watched(self) -> tuple[tuple[str, RunKey], ...]:
        """Runs whose end is waited for, with the repository of each."""
        with self._news:
            return tuple(self._watched)

    def set_looking(self, looking: frozenset[RunKey]) -> None:
        """Whose work is being looked at now."""
        self._poke(lambda: setattr(self, "_looking", looking))

    def look(self) -> None:
        """Now, not at the next turn."""
        self._poke(lambda: None)

    def stop(self) -> None:
        self._poke(lambda: setattr(self, "_stopped", True))

    def is_idle(self) -> bool:
        with self._news:
            return not self._poked

    def _poke(self, change: Callable[[], object]) -> None:
        with self._news:
            change()
            self._poked = True
            self._news.notify_all()

    def run(self) -> None:
        while not self._stopped:
            with self._news:
                poked, self._poked = self._poked, False
            try:
                wait = self._turn(poked=poked)
            except Exception as bug:  # noqa: BLE001 - whoever owns the desk reports it
                self._on_bug(bug)
                wait = _QUIET_SECONDS
            with self._news:
                if not self._poked and not self._stopped:
                    self._news.wait(wait)

    def _turn(self, *, poked: bool) -> float | None:
        """Looks once; how long it may be until the next time, nothing where nobody waits for anything."""
        self._note_ends()
        self._tell_at_work()
        state = self._board.state
        scene = self._find_scene(state)
        if not self._needed or scene is None or state.chosen is None:
            return _RUNS_SECONDS if self._watched else _QUIET_SECONDS if self._needed else None
        runs = state.agent.value.runs if state.agent.value else ()
        every = _RUNS_SECONDS if any(view.state.status in _ALIVE for view in runs) else _QUIET_SECONDS
        if poked or read_monotonic() - self._looked_at >= every:
            runs = self._show_runs(scene, state.chosen)
        alive = frozenset(view.state.key for view in runs if view.state.status in _ALIVE)
        window = self._show_output(scene.desk)
        if window is not None and (not window.complete or window.run in alive):
            return _TICK_SECONDS
        return _RUNS_SECONDS if alive or self._watched else _QUIET_SECONDS

    def _note_ends(self) -> None:
        from handoff_tui.agents.runs.state import find_run  # noqa: PLC0415 - after the first paint

        for (root, key), common_dir in tuple(self._watched.items()):
            status = find_run(common_dir, key).status
            if status not in _ALIVE:
                with self._news:
                    self._watched.pop((root, key), None)
                self._on_over(root, key)

    def _tell_at_work(self) -> None:
        runs = tuple(key for _, key in self.list_watched())
        now = AtWork(runs, self._courses.list_coming(), tuple(sorted(self._looking, key=repr)))
        self._board.change(lambda state: state if state.at_work == now else replace(state, at_work=now))

    def _show_runs(self, scene: Scene, chosen: HandoffKey) -> tuple[RunView, ...]:
        self._looked_at = read_monotonic()
        try:
            view = self._read_runs(scene, chosen)
            loaded = Loaded(view, at=read_now())
        except (HandoffError, OSError) as refused:
            loaded = Loaded(trouble=build_trouble(refused), at=read_now())

        def put(state: DeskState) -> DeskState:
            before = state.agent
            if state.chosen != chosen or (
                before.at and (before.value, before.trouble) == (loaded.value, loaded.trouble)
            ):
                return state
            return replace(state, agent=loaded)

        self._board.change(put)
        return loaded.value.runs if loaded.value else ()

    def _read_runs(self, scene: Scene, chosen: HandoffKey) -> AgentsView:
        from handoff_tui.agents.runs.state import list_runs  # noqa: PLC0415 - after the first paint
        from handoff_tui.agents.runs.unlock import list_phase_locks  # noqa: PLC0415
        from handoff_tui.agents.step.follow import build_view  # noqa: PLC0415

        views: list[RunView] = []
        for state in list_runs(scene.desk.repository.common_dir, chosen.handoff):
            known = self._settled.get(state.key)
            view = known if known is not None and known.state == state else build_view(state)
            if view.report is not None:
                self._settled[state.key] = view
            views.append(view)
        locks = list_phase_locks(scene.desk)
        agenda = self._courses.describe(chosen)
        return AgentsView(tuple(views), locks, self._list_agents(scene), self._looking, *agenda)

    def _list_agents(self, scene: Scene) -> tuple[PhaseCommand, ...]:
        from handoff_tui.agents.consent import list_phase_agents  # noqa: PLC0415 - after the first paint

        place = (str(scene.desk.repository.root), scene.log_version)
        if self._agents is None or self._agents[0] != place:
            found = list_phase_agents(scene.desk)
            self._agents = (
                place,
                tuple(PhaseCommand(name, phase, one.shown, one.from_repository) for name, phase, one in found),
            )
        return self._agents[1]

    def _show_output(self, desk: Desk) -> OutputWindow | None:
        wanted = self._wanted
        if wanted is None:
            return None
        window = self._windows.read(desk.repository.common_dir, wanted)

        def put(state: DeskState) -> DeskState:
            late = self._wanted != wanted or state.output == window
            return state if late else replace(state, output=window)

        self._board.change(put)
        return window
