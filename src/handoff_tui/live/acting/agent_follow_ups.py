"""What follows by itself when an agent has ended: its own further tries, and the loop where somebody asked for it.

Nothing here opens a gate. It lasts as long as the desk: who leaves it leaves only the agents that are at work.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from handoff_tui.agents.runs.run import RunKey
from handoff_tui.agents.step.report import StepReport
from handoff_tui.core.errors import HandoffError
from handoff_tui.live.keyed_worker import KeyedWorker
from handoff_tui.live.state.agents import Breakpoint, ScheduledRun
from handoff_tui.live.state.app import build_trouble
from handoff_tui.live.state_store import StateStore
from handoff_tui.status.inbox_item import HandoffKey
from handoff_tui.system.clock import read_now

if TYPE_CHECKING:
    from handoff_tui.config.settings.pipeline import Agent
    from handoff_tui.handoffs.session import Desk


class FollowUp(NamedTuple):
    """What may follow a run."""

    handoff: HandoffKey
    agent: Agent
    loop: bool
    retries: int = 0
    """Tries at this phase that were started by themselves."""


class NextRun(NamedTuple):
    """What does."""

    phase: str
    wait: float
    why: str
    follow_up: FollowUp


class Agenda(NamedTuple):
    """What is to be shown of one handoff."""

    coming: ScheduledRun | None = None
    loops: bool = False
    stops: frozenset[Breakpoint] = frozenset()


def find_next_run(follow_up: FollowUp, report: StepReport) -> NextRun | None:
    """The agent once more where it failed by itself; else, in a loop, along the pipeline while no person is needed."""
    from handoff_tui.agents.command import build_backoff  # noqa: PLC0415 - not before an agent has ended
    from handoff_tui.agents.step.judge import can_retry  # noqa: PLC0415
    from handoff_tui.agents.step.step import can_go_on  # noqa: PLC0415

    retry = follow_up.retries + 1
    if can_retry(report.end, report.outcome) and retry <= follow_up.agent.retries:
        why = f"it failed by itself; retry {retry} of {follow_up.agent.retries}"
        wait = build_backoff(follow_up.agent, retry)
        return NextRun(report.key.phase, wait, why, follow_up._replace(retries=retry))
    if follow_up.loop and report.next_phase is not None and can_go_on(report):
        return NextRun(report.next_phase, 0.0, "the loop goes on", follow_up._replace(retries=0))
    return None


def find_breakpoint(stops: frozenset[Breakpoint], ended: str, phase: str) -> Breakpoint | None:
    """The breakpoint between the end of one phase and the beginning of another."""
    between = (Breakpoint(ended, before=False), Breakpoint(phase, before=True))
    return next((stop for stop in between if stop in stops), None)


class FollowUps:
    """One follow_up a run. `follow` is told of every run that is started; `on_change` when there is another agenda."""

    def __init__(
        self,
        worker: KeyedWorker,
        store: StateStore,
        follow: Callable[[Desk, RunKey], None],
        on_change: Callable[[], None],
    ) -> None:
        self._worker, self._store = worker, store
        self._follow, self._on_change = follow, on_change
        self._lock = threading.Lock()
        self._plans: dict[tuple[str, RunKey], FollowUp] = {}
        self._scheduled: dict[HandoffKey, tuple[ScheduledRun, FollowUp]] = {}
        self._breakpoints: dict[HandoffKey, frozenset[Breakpoint]] = {}

    def begin(self, follow_up: FollowUp, key: RunKey) -> None:
        """A run was started; what else was to come of its handoff by itself does not."""
        self.end(follow_up.handoff)
        with self._lock:
            self._plans[follow_up.handoff.root, key] = follow_up
        self._on_change()

    def end(self, handoff: HandoffKey) -> bool:
        """Nothing more of it starts by itself; whether something would have."""
        self._worker.cancel(handoff)
        with self._lock:
            waited = self._scheduled.pop(handoff, None)
            for place in [place for place, follow_up in self._plans.items() if follow_up.handoff == handoff]:
                del self._plans[place]
        self._on_change()
        return waited is not None

    def end_all(self) -> None:
        with self._lock:
            handoffs = {*self._scheduled, *(follow_up.handoff for follow_up in self._plans.values())}
        for handoff in handoffs:
            self.end(handoff)

    def toggle_breakpoint(self, handoff: HandoffKey, stop: Breakpoint) -> bool:
        """Sets a breakpoint, or takes it away; whether it is set now."""
        with self._lock:
            stops = self._breakpoints.get(handoff, frozenset()) ^ {stop}
            self._breakpoints[handoff] = stops
        self._on_change()
        return stop in stops

    def describe(self, handoff: HandoffKey) -> Agenda:
        with self._lock:
            coming, waiting = self._scheduled.get(handoff, (None, None))
            loops = any(follow_up.loop for follow_up in self._plans.values() if follow_up.handoff == handoff)
            stops = self._breakpoints.get(handoff, frozenset())
        return Agenda(coming, loops or (waiting is not None and waiting.loop), stops)

    def list_scheduled(self) -> tuple[ScheduledRun, ...]:
        with self._lock:
            return tuple(coming for coming, _ in self._scheduled.values())

    def go_on(self, root: str, report: StepReport) -> None:
        """A run was looked at: what follows by itself is started, after its wait."""
        with self._lock:
            follow_up = self._plans.pop((root, report.key), None)
            stops = self._breakpoints.get(follow_up.handoff, frozenset()) if follow_up is not None else frozenset()
        following = find_next_run(follow_up, report) if follow_up is not None else None
        if following is None:
            self._on_change()
            return
        if stop := find_breakpoint(stops, report.key.phase, following.phase):
            place = f"{'before' if stop.before else 'after'} {stop.phase}"
            self._store.say(
                f"{report.key.handoff} is held by the breakpoint {place}; s starts {following.phase}", "human"
            )
            self._on_change()
            return
        self._schedule(following)

    def _schedule(self, following: NextRun) -> None:
        handoff = following.follow_up.handoff
        at = read_now() + timedelta(seconds=following.wait)
        coming = ScheduledRun(handoff.root, handoff.handoff, following.phase, at, following.why)
        with self._lock:
            self._scheduled[handoff] = (coming, following.follow_up)
        self._on_change()
        if following.wait:
            words = f"{following.phase} starts by itself in {following.wait:g} s: {following.why}"
            self._store.say(f"{handoff.handoff} · {words}", "agent")
        self._worker.submit(handoff, lambda cancel: self._start(following, cancel), delay=following.wait)

    def _start(self, following: NextRun, cancel: threading.Event) -> None:
        from handoff_tui.agents.step.follow import stop_step  # noqa: PLC0415
        from handoff_tui.agents.step.prepare import StepRequest, prepare_step  # noqa: PLC0415
        from handoff_tui.agents.step.start import start_step  # noqa: PLC0415
        from handoff_tui.checks.run.check import ProgressCallbacks  # noqa: PLC0415 - not before an agent has ended
        from handoff_tui.handoffs.session import open_desk  # noqa: PLC0415

        handoff = following.follow_up.handoff
        try:
            desk = open_desk(Path(handoff.root))
            prepared = prepare_step(
                desk, StepRequest(handoff.handoff, following.phase), ProgressCallbacks(cancel=cancel)
            )
            if cancel.is_set():
                return
            view = start_step(prepared)
        except (HandoffError, OSError) as refused:
            trouble = build_trouble(refused)
            self.end(handoff)
            self._store.say(f"{following.phase} was not started. {trouble.message}. {trouble.hint}", "fail")
            return
        if cancel.is_set():  # somebody kept it from starting, or left, while it did
            stop_step(desk, view.state.key)
        else:
            self.begin(following.follow_up._replace(agent=prepared.agent.settings), view.state.key)
            self._store.say("")  # who is at work is seen in the list
        self._follow(desk, view.state.key)
