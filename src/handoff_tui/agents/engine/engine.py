"""What procedures ask of an engine, and what an engine asks of the repository: two narrow protocols.

Another engine can stand in: nothing outside `engine_*.py` and `worker*.py` knows which one it is.
"""

from __future__ import annotations

from collections.abc import Callable
from threading import Event
from typing import NamedTuple, Protocol

from handoff_tui.agents.procedures.report import ProcedurePlan, ProcedureRun, ProcedureTry, RunRequest, TryKind

Json = dict[str, object]
"""A value that can be written down and read back: what a durable step returns."""


class Engine(Protocol):
    """Runs of procedures, seen from a front end."""

    def submit(self, request: RunRequest) -> str:
        """Asks for a run and returns its id; asking twice is one run."""
        ...

    def wake(self, run: str) -> None:
        """Has a waiting run look at the signed log now. It carries no verdict."""
        ...

    def cancel(self, run: str) -> None:
        """Asks a run to end: what it has done is undone."""
        ...

    def view(self, run: str) -> ProcedureRun | None:
        """A run whole, with its plan and every try."""
        ...

    def list(self, limit: int = 100) -> tuple[ProcedureRun, ...]:
        """The runs in short, latest first: without plans and tries, so that many can be asked about often."""
        ...

    def close(self) -> None: ...


class Durable(Protocol):
    """What a run needs so that it survives the death of its worker.

    What was written down is never done again; only the bodies of steps may look at the world.
    """

    def step(self, name: str, work: Callable[[], Json]) -> Json:
        """Does the work, writes its value down and returns it; the second time only returns it."""
        ...

    def run_limited(self, name: str, order: Json) -> Json:
        """Has the work of an agent done where the number of agents is limited, and waits for its value."""
        ...

    def sleep(self, seconds: float) -> None: ...

    def receive(self, seconds: float) -> None:
        """Waits until somebody wakes the run, or the time is up."""
        ...


class Attempted(NamedTuple):
    """How a piece of work went, and what it rests on."""

    passed: bool
    detail: str = ""
    evidence: str | None = None


class AgentOrder(NamedTuple):
    """What an agent is to do: a step or a part of the way back, in which try, within which time."""

    kind: TryKind
    name: str
    number: int
    seconds: float


class GateLook(NamedTuple):
    """A gate as git says it is. `open` is nothing while nobody has decided."""

    open: bool | None
    why: str
    entry: str | None = None


class Actions(Protocol):
    """What steps, rules, gates and rollbacks really do. Each may be done again after a crash: all are idempotent.

    A HandoffError is an attempt that failed, with its message.
    """

    def plan(self, request: RunRequest) -> ProcedurePlan:
        """The plan by the configuration as it is now; an error where it cannot be made."""
        ...

    def act(self, request: RunRequest, step: str, cancel: Event) -> Attempted:
        """Does a built-in step."""
        ...

    def run_agent(self, request: RunRequest, order: AgentOrder, cancel: Event) -> ProcedureTry:
        """Starts an agent, or finds the one that a dead worker had started, and waits for its end."""
        ...

    def judge(self, request: RunRequest, rule: str, cancel: Event) -> Attempted:
        """Validates a rule."""
        ...

    def look_at_gate(self, request: RunRequest) -> GateLook:
        """Reads and verifies the signed log."""
        ...

    def undo(self, request: RunRequest, name: str, cancel: Event) -> Attempted:
        """Does a built-in part of the way back."""
        ...

    def stop_agents(self, request: RunRequest) -> None:
        """Ends every agent of the run that is still alive."""
        ...

    def tell(self, request: RunRequest, text: str) -> None:
        """Tells a person that they are needed; the same words of the same run are told once."""
        ...

    def read_log_mark(self) -> str:
        """Something cheap that changes whenever the signed log does."""
        ...
