"""Starts what follows: automatic retries, the loop if somebody asked for it, and agents whose work was sent back.

Nothing here opens a gate. It lasts as long as the app is open; agents that are running go on without it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from handoff_tui.agents.runs.run import RunKey
from handoff_tui.agents.step.report import StepReport
from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.errors import HandoffError
from handoff_tui.live.keyed_worker import KeyedWorker
from handoff_tui.live.state.agents import Breakpoint, ScheduledRun
from handoff_tui.live.state_store import StateStore
from handoff_tui.status.inbox_item import HandoffKey
from handoff_tui.system.clock import read_now

if TYPE_CHECKING:
    from handoff_tui.config.settings.pipeline import Agent
    from handoff_tui.handoffs.session import Session


class FollowUp(NamedTuple):
    """What may follow a run."""

    handoff: HandoffKey
    agent: Agent
    loop: bool
    retries: int = 0
    """Automatic retries at this phase so far."""


class NextRun(NamedTuple):
    """The run that follows."""

    phase: str
    wait: float
    why: str
    follow_up: FollowUp


class Agenda(NamedTuple):
    """What is planned for one handoff."""

    scheduled: ScheduledRun | None = None
    loops: bool = False
    breakpoints: frozenset[Breakpoint] = frozenset()


def find_next_run(follow_up: FollowUp, report: StepReport) -> NextRun | None:
    """Returns the same agent again if it crashed; in a loop, the next phase while no person is needed; else None."""
    from handoff_tui.agents.command import build_backoff  # noqa: PLC0415 - not before an agent has ended
    from handoff_tui.agents.step.judge import can_retry  # noqa: PLC0415
    from handoff_tui.agents.step.step import can_go_on  # noqa: PLC0415

    retry = follow_up.retries + 1
    if can_retry(report.end, report.outcome) and retry <= follow_up.agent.retries:
        why = f"it crashed; retry {retry} of {follow_up.agent.retries}"
        wait = build_backoff(follow_up.agent, retry)
        return NextRun(report.key.phase, wait, why, follow_up._replace(retries=retry))
    if follow_up.loop and report.next_phase is not None and can_go_on(report):
        return NextRun(report.next_phase, 0.0, "the loop continues", follow_up._replace(retries=0))
    return None


def find_breakpoint(breakpoints: frozenset[Breakpoint], ended: str, phase: str) -> Breakpoint | None:
    """Returns the breakpoint between the end of one phase and the start of another; None if there is none."""
    between = (Breakpoint(ended, before=False), Breakpoint(phase, before=True))
    return next((stop for stop in between if stop in breakpoints), None)


class FollowUps:
    """Keeps one follow-up per run. `follow` gets every run that is started; `on_change` is called when plans change."""

    def __init__(
        self,
        worker: KeyedWorker,
        store: StateStore,
        follow: Callable[[Session, RunKey], None],
        on_change: Callable[[], None],
    ) -> None:
        self._worker, self._store = worker, store
        self._follow, self._on_change = follow, on_change
        self._lock = threading.Lock()
        self._plans: dict[tuple[str, RunKey], FollowUp] = {}
        self._scheduled: dict[HandoffKey, tuple[ScheduledRun, FollowUp]] = {}
        self._breakpoints: dict[HandoffKey, frozenset[Breakpoint]] = {}

    def begin(self, follow_up: FollowUp, key: RunKey) -> None:
        """Notes a run that was started; it replaces whatever was planned for its handoff."""
        self.end(follow_up.handoff)
        with self._lock:
            self._plans[follow_up.handoff.root, key] = follow_up
        self._on_change()

    def end(self, handoff: HandoffKey) -> bool:
        """Cancels everything planned for a handoff; tells whether something was scheduled."""
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
        """Sets or removes a breakpoint; tells whether it is set now."""
        with self._lock:
            breakpoints = self._breakpoints.get(handoff, frozenset()) ^ {stop}
            self._breakpoints[handoff] = breakpoints
        self._on_change()
        return stop in breakpoints

    def describe(self, handoff: HandoffKey) -> Agenda:
        with self._lock:
            scheduled, waiting = self._scheduled.get(handoff, (None, None))
            loops = any(follow_up.loop for follow_up in self._plans.values() if follow_up.handoff == handoff)
            breakpoints = self._breakpoints.get(handoff, frozenset())
        return Agenda(scheduled, loops or (waiting is not None and waiting.loop), breakpoints)

    def list_scheduled(self) -> tuple[ScheduledRun, ...]:
        with self._lock:
            return tuple(scheduled for scheduled, _ in self._scheduled.values())

    def go_on(self, root: str, report: StepReport) -> None:
        """Starts what follows a run that was reviewed, after its wait."""
        with self._lock:
            follow_up = self._plans.pop((root, report.key), None)
        following = find_next_run(follow_up, report) if follow_up is not None else None
        if following is None:
            self._on_change()
            return
        breakpoints = self.describe(following.follow_up.handoff).breakpoints
        stop = find_breakpoint(breakpoints, report.key.phase, following.phase)
        if stop is None:
            self._schedule(following)
            return
        self._store.say(
            f"{report.key.handoff} is stopped at the breakpoint {stop}; s starts {following.phase}", "human"
        )
        self._on_change()

    def start_again(self, handoff: HandoffKey) -> None:
        """Starts the next attempt at work that was sent back, if its agent is set to start by itself."""
        self._worker.submit(handoff, lambda cancel: self._start(handoff, None, cancel))

    def _schedule(self, following: NextRun) -> None:
        handoff = following.follow_up.handoff
        at = read_now() + timedelta(seconds=following.wait)
        scheduled = ScheduledRun(handoff.root, handoff.handoff, following.phase, at, following.why)
        with self._lock:
            self._scheduled[handoff] = (scheduled, following.follow_up)
        self._on_change()
        if following.wait:
            words = f"{following.phase} starts automatically in {following.wait:g} s: {following.why}"
            self._store.say(f"{handoff.handoff} · {words}", "agent")
        self._worker.submit(handoff, lambda cancel: self._start(handoff, following, cancel), delay=following.wait)

    def _start(self, handoff: HandoffKey, following: NextRun | None, cancel: threading.Event) -> None:
        """Starts a run that follows another one; without one, the next attempt at work that was sent back."""
        from handoff_tui.agents.step.prepare import StepRequest, prepare_step  # noqa: PLC0415
        from handoff_tui.agents.step.step import start_step, stop_step  # noqa: PLC0415
        from handoff_tui.checks.run.check import ProgressCallbacks  # noqa: PLC0415 - not before an agent has ended
        from handoff_tui.handoffs.session import open_session  # noqa: PLC0415

        try:
            session = open_session(Path(handoff.root))
            if following is None and not any(agent.starts_again for agent in session.loaded.settings.agents.values()):
                return
            request = StepRequest(handoff.handoff, following.phase if following is not None else None)
            prepared = prepare_step(session, request, ProgressCallbacks(cancel=cancel))
            agent = prepared.agent.settings
            if cancel.is_set() or (following is None and not agent.starts_again):
                return
            view = start_step(prepared)
        except (HandoffError, OSError) as refused:
            self.end(handoff)
            self._store.say_trouble(f"{following.phase if following else 'The agent'} wasn't started. ", refused)
            return
        if cancel.is_set():  # somebody kept it from starting, or left, while it did
            stop_step(session, view.state.key)
        else:
            follow_up = following.follow_up if following is not None else FollowUp(handoff, agent, loop=False)
            self.begin(follow_up._replace(agent=agent), view.state.key)
            self._store.say("")  # the list shows who is running
        self._follow(session, view.state.key)
