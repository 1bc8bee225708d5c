"""What procedures ask of an engine, and what an engine asks of the repository: narrow protocols.

Another engine could replace this one: only agents/engine/ knows which it is.
"""

from __future__ import annotations

from collections.abc import Callable
from threading import Event
from typing import Any, Protocol

from handoff_tui.agents.procedures.report import (
    ProcedurePlan,
    ProcedureRun,
    ProcedureTry,
    RunRequest,
    TryKind,
    TryResult,
)
from handoff_tui.core.classes import NamedTuple

Json = dict[str, object]
"""What a durable step returns: a value that can be stored and read back."""


class Engine(Protocol):
    """Runs of procedures, as a front end sees them."""

    def submit(self, request: RunRequest) -> str:
        """Submits a run and returns its id; submitting twice is one run."""
        ...

    def wake(self, run: str) -> None:
        """Makes a waiting run read the signed log now. Carries no decision."""
        ...

    def cancel(self, run: str) -> None:
        """Asks a run to end and to undo what it has done."""
        ...

    def view(self, run: str) -> ProcedureRun | None:
        """Returns a run with its plan and every attempt; None if there is none."""
        ...

    def list(self, limit: int = 100) -> tuple[ProcedureRun, ...]:
        """Lists the runs without plans and attempts, latest first; cheap enough to call often."""
        ...

    def close(self) -> None: ...


class Durable(Protocol):
    """What a run needs to survive the death of its worker.

    A recorded step never runs again; only the bodies of steps may read or change anything outside.
    """

    def step(self, name: str, work: Callable[[], Json]) -> Json:
        """Does the work, records its value and returns it; the second time only returns it."""
        ...

    def run_limited(self, name: str, order: Json) -> Json:
        """Runs an agent within the limit of agents, and waits for its value."""
        ...

    def sleep(self, seconds: float) -> None: ...

    def receive(self, seconds: float) -> None:
        """Waits until somebody wakes the run or the time is up."""
        ...


class StepResult(NamedTuple):
    """How a step went, and what that is based on."""

    passed: bool
    detail: str = ""
    evidence: str | None = None


class AgentOrder(NamedTuple):
    """What an agent has to do: a step or an undo, which run of it, and its time limit."""

    kind: TryKind
    name: str
    number: int
    seconds: float

    def end(self, result: TryResult, **more: Any) -> ProcedureTry:  # noqa: ANN401 - any further field of an attempt
        return ProcedureTry(kind=self.kind, name=self.name, number=self.number, result=result, **more)


class GateAnswer(NamedTuple):
    """A gate as the signed log has it. `open` is None while nobody has decided."""

    open: bool | None
    why: str
    entry: str | None = None


class Actions(Protocol):
    """What steps, rules, gates and rollbacks do. All are idempotent, because a crash may repeat them.

    A HandoffError means that the step failed.
    """

    def plan(self, request: RunRequest) -> ProcedurePlan:
        """Builds the plan from the configuration as it is now; raises an error if it can't."""
        ...

    def act(self, request: RunRequest, step: str, cancel: Event) -> StepResult:
        """Does a built-in step."""
        ...

    def run_agent(self, request: RunRequest, order: AgentOrder, cancel: Event) -> ProcedureTry:
        """Starts an agent, or finds the one that a dead worker started, and waits until it ends."""
        ...

    def judge(self, request: RunRequest, rule: str, cancel: Event) -> StepResult:
        """Checks a rule."""
        ...

    def read_gate(self, request: RunRequest) -> GateAnswer:
        """Reads and verifies the signed log."""
        ...

    def undo(self, request: RunRequest, name: str, cancel: Event) -> StepResult:
        """Undoes a built-in step."""
        ...

    def stop_agents(self, request: RunRequest) -> None:
        """Ends every agent of the run that is still alive."""
        ...

    def tell(self, request: RunRequest, text: str) -> None:
        """Notifies a person that they are needed; once for the same words of the same run."""
        ...

    def read_log_mark(self) -> str:
        """Returns something cheap that changes whenever the signed log does."""
        ...
