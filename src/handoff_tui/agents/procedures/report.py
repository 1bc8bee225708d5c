"""One run of a procedure: the request, the plan, every attempt, and how it ended; and metrics over many runs."""

from __future__ import annotations

from enum import StrEnum

from handoff_tui.core.model import Model
from handoff_tui.core.place import Severity


class ProcedureState(StrEnum):
    """How far a run is. `rollback` at the end means that it failed and everything was undone."""

    PENDING = "pending"
    IN_PROGRESS = "in_progress"
    VALIDATING = "validating"
    WAITING = "waiting"
    """A person has to decide."""
    ROLLBACK = "rollback"
    COMPLETED = "completed"
    FAILED = "failed"


class RunRequest(Model):
    """What a run is about: the name of a procedure and pointers into git, nothing more."""

    procedure: str
    handoff: str
    phase: str
    attempt: int = 1
    commit: str | None = None
    number: int = 1
    """The first run is 1; each new one after a failure counts up."""
    asked: float | None = None
    """When, in seconds since 1970."""

    @property
    def run_id(self) -> str:
        """Returns an id from the request alone, so that asking twice is one run."""
        return f"{self.handoff}:{self.phase}:{self.attempt}:{self.procedure}:{self.number}"

    @property
    def is_pipeline(self) -> bool:
        """Whether it carries the handoff through its pipeline, which then stands for the phase."""
        return self.phase == self.procedure


class PlannedStep(Model):
    """A step as it was planned when the run began."""

    name: str
    timeout_seconds: float
    retries: int = 0
    gate: bool = False
    """Whether somebody must approve before it runs."""
    rules: tuple[str, ...] = ()
    agent: bool = False
    """Whether an agent does it; otherwise it is built in."""


class PlannedRule(Model):
    """A rule as it was planned."""

    id: str
    name: str
    severity: Severity
    timeout_seconds: float
    retries: int = 0


class PlannedUndo(Model):
    """What undoes a step, as it was planned."""

    name: str
    timeout_seconds: float
    retries: int = 0
    undoes: tuple[str, ...] = ()
    agent: bool = False


class ProcedurePlan(Model):
    """The plan of a run, fixed when it begins: a change of the configuration does not affect it."""

    steps: tuple[PlannedStep, ...]
    pipeline: bool = False
    """Whether it carries a handoff through its pipeline; then its steps are found on the way."""
    rules: tuple[PlannedRule, ...] = ()
    rollback: tuple[PlannedUndo, ...] = ()
    backoff_seconds: tuple[float, ...] = ()
    gate_timeout_seconds: float
    gate_check_seconds: float
    share_minimum: float


class TryKind(StrEnum):
    """What was tried."""

    STEP = "step"
    RULE = "rule"
    GATE = "gate"
    FENCE = "fence"
    """That nothing of the run is still at work before anything is undone."""
    ROLLBACK = "rollback"


class TryResult(StrEnum):
    """How an attempt ended. Only `pass` lets a run go on."""

    PASS = "pass"
    FAIL = "fail"
    ERROR = "error"
    TIMEOUT = "timeout"
    WITHDRAWN = "withdrawn"
    WAITING = "waiting"
    """Nobody has decided yet; gates only."""
    EXPIRED = "expired"
    """Nobody decided in time; gates only."""
    STOPPED = "stopped"
    """Somebody stopped the agent by hand; it is not started again."""
    NEEDS_HUMAN = "needs-human"
    """Only a person can judge what was noticed; a retry would only cover it up."""


class ProcedureTry(Model):
    """One execution of a step, rule, gate or undo, as recorded when it ended."""

    kind: TryKind
    name: str
    number: int = 1
    result: TryResult
    detail: str = ""
    begun: bool = True
    """Whether anything was done: a withdrawn run does not begin its next step."""
    final: bool = False
    """Whether a rule was checked at the end, over everything."""
    began: float = 0.0
    """Seconds since 1970."""
    seconds: float = 0.0
    evidence: str | None = None
    """What it is based on: the id of a signed entry, or the digest of what was written."""

    @property
    def passed(self) -> bool:
        return self.result is TryResult.PASS


class ProcedureEnd(Model):
    """How a run ended."""

    state: ProcedureState
    reason: str = ""
    needs_human: bool = False
    left: tuple[str, ...] = ()
    """What should have been undone and was not."""


class ProcedureRun(Model):
    """A run as the engine has it now. Nothing in it is a decision: those are in git."""

    id: str
    request: RunRequest | None
    """None if the engine's data can't be read."""
    state: ProcedureState
    finished: bool = False
    needs_human: bool = False
    reason: str = ""
    current: str | None = None
    """The step it is at."""
    left: tuple[str, ...] = ()
    plan: ProcedurePlan | None = None
    tries: tuple[ProcedureTry, ...] = ()
    created: float | None = None
    ended: float | None = None
    withdrawn: bool = False
    """Whether somebody asked it to end."""
    worker: str | None = None
    """The worker that has it, by its name; None if it isn't known."""

    @property
    def since(self) -> float | None:
        """Since when it is where it is: its last attempt began then; None before the first."""
        return self.tries[-1].began if self.tries else self.created

    @property
    def seconds(self) -> float | None:
        """How long it took from the request to the end."""
        return None if self.created is None or self.ended is None else self.ended - self.created

    @property
    def rolled_back(self) -> bool:
        return self.finished and self.state is ProcedureState.ROLLBACK


class WorkerView(Model):
    """A worker that is alive."""

    name: str
    host: str
    since: float | None = None
    """Seconds since 1970."""
    pid: int | None = None


class RunOverview(Model):
    """Runs, latest first, and the workers that carry them out."""

    runs: tuple[ProcedureRun, ...] = ()
    workers: tuple[WorkerView, ...] = ()


class RuleMetrics(Model):
    """How often a rule was checked, and how often it held."""

    rule: str
    severity: Severity | None
    judged: int
    held: int


class TypeMetrics(Model):
    """How the runs of one procedure ended."""

    procedure: str
    runs: int
    completed: int
    rolled_back: int
    failed: int
    open: int
    mean_seconds: float | None


class ProcedureMetrics(Model):
    """All runs, counted."""

    types: tuple[TypeMetrics, ...] = ()
    rules: tuple[RuleMetrics, ...] = ()
