"""Follows the agents of the handoff in view: their runs, how they go, and what the run in view prints."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from handoff_tui.agents.runs.files import OUTPUT, PROMPT, TRANSCRIPT
from handoff_tui.agents.runs.folders import find_run_folder
from handoff_tui.agents.runs.run import UNDER_WAY, RunKey
from handoff_tui.agents.step.report import Overlap, RunView
from handoff_tui.core.classes import replace
from handoff_tui.live.keyed_worker import BackgroundThread
from handoff_tui.live.state.agents import Activity, AgentsView, OutputRange, OutputSource, OutputWindow, PhaseCommand
from handoff_tui.live.state.app import AppState, load
from handoff_tui.live.state_store import StateStore
from handoff_tui.status.inbox_item import HandoffKey, mark_running
from handoff_tui.system.clock import read_monotonic, read_now
from handoff_tui.system.processes.output_reader import OutputReader

if TYPE_CHECKING:
    from handoff_tui.handoffs.session import Session
    from handoff_tui.live.acting.agent_follow_ups import FollowUps
    from handoff_tui.live.feed.snapshot import RepositorySnapshot


_AT_ONCE = 16 * 1024 * 1024
"""How many bytes are counted before lines are shown again."""
_SEARCHED_LINES = 2_000
_FILES = {OutputSource.OUTPUT: OUTPUT, OutputSource.PROMPT: PROMPT}


class OutputWindows:
    """Reads the wanted lines and a page more on both sides. One reader is kept, for the run in view."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._place: Path | None = None
        self._reader: OutputReader | None = None

    def read(self, common_dir: Path, wanted: OutputRange) -> OutputWindow:
        """Returns the lines as of now; `complete` is false while there is more to count."""
        reader = self._find_reader(common_dir, wanted.run, wanted.source)
        is_more = reader.advance(_AT_ONCE)
        total, count = reader.line_count, max(1, wanted.height)
        first = max(0, total - 2 * count) if wanted.first is None else max(0, wanted.first - count)
        lines = reader.read_lines(first, 3 * count)
        return OutputWindow(wanted.run, wanted.source, first, tuple(lines), total, reader.size, not is_more)

    def find(self, common_dir: Path, wanted: OutputRange, text: str, cancel: threading.Event) -> int | None:
        """Returns the line that has the text, from `first` on; with a negative height, the last one up to there."""
        reader = self._find_reader(common_dir, wanted.run, wanted.source)
        while reader.advance(_AT_ONCE) and not cancel.is_set():
            pass
        start = wanted.first or 0
        return reader.find(text, start) if wanted.height >= 0 else _find_backwards(reader, text, start, cancel)

    def _find_reader(self, common_dir: Path, run: RunKey, source: OutputSource) -> OutputReader:
        folder = find_run_folder(common_dir, run)
        place = folder / _FILES[source]
        if source is OutputSource.OUTPUT and (folder / TRANSCRIPT).exists():
            place = folder / TRANSCRIPT
        with self._lock:
            if self._reader is None or self._place != place:
                self._place, self._reader = place, OutputReader(place)
            return self._reader


def _find_backwards(reader: OutputReader, text: str, start: int, cancel: threading.Event) -> int | None:
    wanted = text.encode("utf-8", "surrogateescape").lower()
    end = min(start + 1, reader.line_count)
    while wanted and end > 0 and not cancel.is_set():
        first = max(0, end - _SEARCHED_LINES)
        lines = reader.read_lines(first, end - first)
        for number in range(len(lines) - 1, -1, -1):
            if wanted in lines[number].encode("utf-8", "surrogateescape").lower():
                return first + number
        end = first
    return None


_TICK_SECONDS = 0.1
"""How often output is shown at most."""
_RUNS_SECONDS = 0.5
_QUIET_SECONDS = 2.0
"""How often we check whether somebody else started an agent."""
_OVERLAP_SECONDS = 3.0


class AgentFollower(BackgroundThread):
    """Reads runs only while they are on screen, or while an agent that was started here is running."""

    def __init__(
        self,
        store: StateStore,
        windows: OutputWindows,
        follow_ups: FollowUps,
        on_over: Callable[[str, RunKey], None],
    ) -> None:
        super().__init__("agents")
        self._store, self._windows, self._follow_ups, self._on_over = store, windows, follow_ups, on_over
        self._news = threading.Condition()
        self._stopped = False
        self._poked = True
        self._needed = False
        self._wanted: OutputRange | None = None
        self._watched: dict[tuple[str, RunKey], Path] = {}
        """Runs started or taken up here, by repository; we notice their end whatever is in view."""
        self._reviewing: frozenset[RunKey] = frozenset()
        self._looked_at = 0.0
        self._settled: dict[RunKey, RunView] = {}
        """Runs that cannot change any more."""
        self._agents: tuple[tuple[str, int], tuple[PhaseCommand, ...]] | None = None
        self._overlaps: tuple[float, tuple[Overlap, ...]] = (-_OVERLAP_SECONDS, ())
        """The files that several agents change, and when we last asked git for them."""

    def need(self, *, needed: bool) -> None:
        self._poke(lambda: setattr(self, "_needed", needed))

    def want(self, place: OutputRange | None) -> None:
        """Takes the lines in view."""
        self._poke(lambda: setattr(self, "_wanted", place))

    def watch(self, root: str, common_dir: Path, key: RunKey) -> None:
        self._poke(lambda: self._watched.setdefault((root, key), common_dir))

    def list_watched(self) -> tuple[tuple[str, RunKey], ...]:
        """Returns the runs whose end we wait for, each with its repository."""
        with self._news:
            return tuple(self._watched)

    def set_reviewing(self, reviewing: frozenset[RunKey]) -> None:
        """Takes the runs whose work is being reviewed now."""
        self._poke(lambda: setattr(self, "_reviewing", reviewing))

    def look(self) -> None:
        """Reads again now, not at the next turn."""
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
            except Exception as bug:  # noqa: BLE001 - the owner reports it
                self._store.on_bug(bug)
                wait = _QUIET_SECONDS
            with self._news:
                if not self._poked and not self._stopped:
                    self._news.wait(wait)

    def _turn(self, *, poked: bool) -> float | None:
        """Reads once; returns the seconds until the next time, None if nobody waits for anything."""
        self._note_ends()
        self._tell_activity()
        state = self._store.state
        snapshot = self._store.find_snapshot(state)
        if not self._needed or snapshot is None or state.chosen is None or state.travel is not None:
            return _RUNS_SECONDS if self._watched else _QUIET_SECONDS if self._needed else None
        runs = state.agent.value.runs if state.agent.value else ()
        every = _RUNS_SECONDS if any(view.state.status in UNDER_WAY for view in runs) else _QUIET_SECONDS
        if poked or read_monotonic() - self._looked_at >= every:
            runs = self._show_runs(snapshot, state.chosen)
        alive = frozenset(view.state.key for view in runs if view.state.status in UNDER_WAY)
        window = self._show_output(snapshot.session)
        if window is not None and (not window.complete or window.run in alive):
            return _TICK_SECONDS
        return _RUNS_SECONDS if alive or self._watched else _QUIET_SECONDS

    def _note_ends(self) -> None:
        from handoff_tui.agents.runs.folders import find_run  # noqa: PLC0415 - after the first paint

        for (root, key), common_dir in tuple(self._watched.items()):
            status = find_run(common_dir, key).status
            if status not in UNDER_WAY:
                with self._news:
                    self._watched.pop((root, key), None)
                self._on_over(root, key)

    def _tell_activity(self) -> None:
        runs = tuple(key for _, key in self.list_watched())
        now = Activity(runs, self._follow_ups.list_scheduled(), tuple(sorted(self._reviewing, key=repr)))
        working = {HandoffKey(root, key.handoff): self._name_agent(root, key) for root, key in self.list_watched()}

        def put(state: AppState) -> AppState:
            marked = mark_running(state.inbox, working)
            if state.activity == now and marked is state.inbox:
                return state
            return replace(state, activity=now, inbox=marked)

        self._store.change(put)

    def _name_agent(self, root: str, key: RunKey) -> str:
        from handoff_tui.agents.runs.folders import find_run  # noqa: PLC0415 - after the first paint

        common_dir = self._watched.get((root, key))
        plan = find_run(common_dir, key).plan if common_dir is not None else None
        return plan.agent if plan is not None else "an agent"

    def _show_runs(self, snapshot: RepositorySnapshot, chosen: HandoffKey) -> tuple[RunView, ...]:
        self._looked_at = read_monotonic()
        loaded = load(lambda: self._read_runs(snapshot, chosen), read_now())

        def put(state: AppState) -> AppState:
            before = state.agent
            if state.chosen != chosen or (
                before.at and (before.value, before.trouble) == (loaded.value, loaded.trouble)
            ):
                return state
            return replace(state, agent=loaded)

        self._store.change(put)
        return loaded.value.runs if loaded.value else ()

    def _read_runs(self, snapshot: RepositorySnapshot, chosen: HandoffKey) -> AgentsView:
        from handoff_tui.agents.runs.folders import list_runs  # noqa: PLC0415 - after the first paint
        from handoff_tui.agents.runs.phase_locks import list_locks  # noqa: PLC0415
        from handoff_tui.agents.step.step import build_view  # noqa: PLC0415

        views: list[RunView] = []
        for state in list_runs(snapshot.session.repository.common_dir, chosen.handoff):
            known = self._settled.get(state.key)
            view = known if known is not None and known.state == state else build_view(state)
            if view.report is not None:
                self._settled[state.key] = view
            views.append(view)
        locks = list_locks(snapshot.session.repository.common_dir)
        agenda = self._follow_ups.describe(chosen)
        overlaps = self._find_overlaps(snapshot.session, views)
        return AgentsView(tuple(views), locks, self._list_agents(snapshot), self._reviewing, *agenda, overlaps)

    def _find_overlaps(self, session: Session, views: list[RunView]) -> tuple[Overlap, ...]:
        """Lists the files that an agent in view shares with others; asks git only now and then."""
        from handoff_tui.agents.runs.branches import find_overlaps  # noqa: PLC0415 - after the first paint

        own = {f"{one.state.key.handoff} · {one.state.key.phase}" for one in views if one.state.status in UNDER_WAY}
        if not own:
            return ()
        if read_monotonic() - self._overlaps[0] >= _OVERLAP_SECONDS:
            self._overlaps = (read_monotonic(), find_overlaps(session))
        return tuple(one for one in self._overlaps[1] if own & set(one.runs))

    def _list_agents(self, snapshot: RepositorySnapshot) -> tuple[PhaseCommand, ...]:
        from handoff_tui.agents.consent import list_phase_agents  # noqa: PLC0415 - after the first paint

        place = (str(snapshot.session.repository.root), snapshot.log_version)
        if self._agents is None or self._agents[0] != place:
            found = list_phase_agents(snapshot.session)
            self._agents = (
                place,
                tuple(PhaseCommand(name, phase, one.shown, one.from_repository) for name, phase, one in found),
            )
        return self._agents[1]

    def _show_output(self, session: Session) -> OutputWindow | None:
        wanted = self._wanted
        if wanted is None:
            return None
        window = self._windows.read(session.repository.common_dir, wanted)

        def put(state: AppState) -> AppState:
            late = self._wanted != wanted or state.output == window
            return state if late else replace(state, output=window)

        self._store.change(put)
        return window
