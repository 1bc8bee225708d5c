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
from handoff_tui.live.feed.repository_feed import build_trouble
from handoff_tui.live.keyed_worker import Lane
from handoff_tui.live.state.agents import Coming, Stop
from handoff_tui.live.state_store import Board
from handoff_tui.status.inbox_item import HandoffKey
from handoff_tui.system.clock import read_now

if TYPE_CHECKING:
    from handoff_tui.config.settings.agents import Agent
    from handoff_tui.handoffs.session import Desk


class Course(NamedTuple):
    """What may follow a run."""

    handoff: HandoffKey
    agent: Agent
    loop: bool
    retries: int = 0
    """Tries at this phase that were started by themselves."""


class NextTry(NamedTuple):
    """What does."""

    phase: str
    wait: float
    why: str
    course: Course


class Agenda(NamedTuple):
    """What is to be shown of one handoff."""

    coming: Coming | None = None
    loops: bool = False
    stops: frozenset[Stop] = frozenset()


def find_next_try(course: Course, report: StepReport) -> NextTry | None:
    """The agent once more where it failed by itself; else, in a loop, along the pipeline while no person is needed."""
    from handoff_tui.agents.command import build_backoff  # noqa: PLC0415 - not before an agent has ended
    from handoff_tui.agents.outcome import can_try_again  # noqa: PLC0415
    from handoff_tui.agents.step.loop import can_go_on  # noqa: PLC0415

    retry = course.retries + 1
    if can_try_again(report.end, report.outcome) and retry <= course.agent.retries:
        why = f"it failed by itself; retry {retry} of {course.agent.retries}"
        wait = build_backoff(course.agent, retry)
        return NextTry(report.key.phase, wait, why, course._replace(retries=retry))
    if course.loop and report.next_phase is not None and can_go_on(report):
        return NextTry(report.next_phase, 0.0, "the loop goes on", course._replace(retries=0))
    return None


def find_stop(stops: frozenset[Stop], ended: str, phase: str) -> Stop | None:
    """The breakpoint between the end of one phase and the beginning of another."""
    between = (Stop(ended, before=False), Stop(phase, before=True))
    return next((stop for stop in between if stop in stops), None)


class AgentCourses:
    """One course a run. `follow` is told of every run that is started; `on_change` when there is another agenda."""

    def __init__(
        self,
        lane: Lane,
        board: Board,
        follow: Callable[[Desk, RunKey], None],
        on_change: Callable[[], None],
    ) -> None:
        self._lane, self._board = lane, board
        self._follow, self._on_change = follow, on_change
        self._lock = threading.Lock()
        self._courses: dict[tuple[str, RunKey], Course] = {}
        self._coming: dict[HandoffKey, tuple[Coming, Course]] = {}
        self._stops: dict[HandoffKey, frozenset[Stop]] = {}

    def begin(self, course: Course, key: RunKey) -> None:
        """A run was started; what else was to come of its handoff by itself does not."""
        self.end(course.handoff)
        with self._lock:
            self._courses[course.handoff.root, key] = course
        self._on_change()

    def end(self, handoff: HandoffKey) -> bool:
        """Nothing more of it starts by itself; whether something would have."""
        self._lane.cancel(handoff)
        with self._lock:
            waited = self._coming.pop(handoff, None)
            for place in [place for place, course in self._courses.items() if course.handoff == handoff]:
                del self._courses[place]
        self._on_change()
        return waited is not None

    def end_all(self) -> None:
        with self._lock:
            handoffs = {*self._coming, *(course.handoff for course in self._courses.values())}
        for handoff in handoffs:
            self.end(handoff)

    def toggle_stop(self, handoff: HandoffKey, stop: Stop) -> bool:
        """Sets a breakpoint, or takes it away; whether it is set now."""
        with self._lock:
            stops = self._stops.get(handoff, frozenset()) ^ {stop}
            self._stops[handoff] = stops
        self._on_change()
        return stop in stops

    def describe(self, handoff: HandoffKey) -> Agenda:
        with self._lock:
            coming, waiting = self._coming.get(handoff, (None, None))
            loops = any(course.loop for course in self._courses.values() if course.handoff == handoff)
            stops = self._stops.get(handoff, frozenset())
        return Agenda(coming, loops or (waiting is not None and waiting.loop), stops)

    def list_coming(self) -> tuple[Coming, ...]:
        with self._lock:
            return tuple(coming for coming, _ in self._coming.values())

    def go_on(self, root: str, report: StepReport) -> None:
        """A run was looked at: what follows by itself is started, after its wait."""
        with self._lock:
            course = self._courses.pop((root, report.key), None)
            stops = self._stops.get(course.handoff, frozenset()) if course is not None else frozenset()
        following = find_next_try(course, report) if course is not None else None
        if following is None:
            self._on_change()
            return
        if stop := find_stop(stops, report.key.phase, following.phase):
            place = f"{'before' if stop.before else 'after'} {stop.phase}"
            self._board.say(
                f"{report.key.handoff} is held by the breakpoint {place}; s starts {following.phase}", "human"
            )
            self._on_change()
            return
        self._schedule(following)

    def _schedule(self, following: NextTry) -> None:
        handoff = following.course.handoff
        at = read_now() + timedelta(seconds=following.wait)
        coming = Coming(handoff.root, handoff.handoff, following.phase, at, following.why)
        with self._lock:
            self._coming[handoff] = (coming, following.course)
        self._on_change()
        if following.wait:
            words = f"{following.phase} starts by itself in {following.wait:g} s: {following.why}"
            self._board.say(f"{handoff.handoff} · {words}", "agent")
        self._lane.submit(handoff, lambda cancel: self._start(following, cancel), delay=following.wait)

    def _start(self, following: NextTry, cancel: threading.Event) -> None:
        from handoff_tui.agents.step.follow import stop_step  # noqa: PLC0415
        from handoff_tui.agents.step.step import StepRequest, prepare_step, start_step  # noqa: PLC0415
        from handoff_tui.checks.run.check import Telling  # noqa: PLC0415 - not before an agent has ended
        from handoff_tui.handoffs.session import open_desk  # noqa: PLC0415

        handoff = following.course.handoff
        try:
            desk = open_desk(Path(handoff.root))
            prepared = prepare_step(desk, StepRequest(handoff.handoff, following.phase), Telling(cancel=cancel))
            if cancel.is_set():
                return
            view = start_step(prepared)
        except (HandoffError, OSError) as refused:
            trouble = build_trouble(refused)
            self.end(handoff)
            self._board.say(f"{following.phase} was not started. {trouble.message}. {trouble.hint}", "fail")
            return
        if cancel.is_set():  # somebody kept it from starting, or left, while it did
            stop_step(desk, view.state.key)
        else:
            self.begin(following.course._replace(agent=prepared.found.agent), view.state.key)
            self._board.say("")  # who is at work is seen in the list
        self._follow(desk, view.state.key)
