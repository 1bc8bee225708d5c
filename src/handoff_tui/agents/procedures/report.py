"""One run of a procedure: what was asked, what was planned, every try that was made, how it ended."""

from __future__ import annotations

from enum import StrEnum

from handoff_tui.core.model import Model
from handoff_tui.core.severity import Severity


class ProcedureState(StrEnum):
    """How far a run is. `rollback` at the end of a run: it failed, and everything it had done was undone."""

    PENDING = "pending"
    IN_PROGRESS = "in_progress"
    VALIDATING = "validating"
    WAITING = "waiting"
    """A person has to decide."""
    ROLLBACK = "rollback"
    COMPLETED = "completed"
    FAILED = "failed"


class RunRequest(Model):
    """What a run is asked with: the name of a procedure and pointers into git, nothing more."""

    procedure: str
    handoff: str
    phase: str
    attempt: int = 1
    commit: str | None = None
    number: int = 1
    """How often the procedure was asked for anew after it had failed; the first time is 1."""
    asked: float | None = None
    """When, in seconds since 1970."""

    @property
    def run_id(self) -> str:
        """Asking twice is one run: the id says what is asked, and nothing else."""
        return f"{self.handoff}:{self.phase}:{self.attempt}:{self.procedure}:{self.number}"


class PlannedStep(Model):
    """A step as it was planned when the run began."""

    name: str
    timeout_seconds: float
    retries: int = 0
    gate: bool = False
    """Whether somebody must have approved before it is done."""
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
    """A part of the way back as it was planned."""

    name: str
    timeout_seconds: float
    retries: int = 0
    undoes: tuple[str, ...] = ()
    agent: bool = False


class ProcedurePlan(Model):
    """All that a run goes by, fixed when it begins: a change of the configuration does not reach a run under way."""

    steps: tuple[PlannedStep, ...]
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
    """That nothing of the run is at work any more, before anything is undone."""
    ROLLBACK = "rollback"


class TryResult(StrEnum):
    """How a try ended. Only `pass` lets a run go on."""

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
    """Somebody stopped the agent by hand: it is not started again."""
    NEEDS_HUMAN = "needs-human"
    """Something was noticed that only a person can judge: another try would only cover it."""


class ProcedureTry(Model):
    """One try, as it was written down when it ended."""

    kind: TryKind
    name: str
    number: int = 1
    result: TryResult
    detail: str = ""
    begun: bool = True
    """Whether anything was done: a run that is withdrawn does not begin its next step."""
    final: bool = False
    """Whether a rule was judged at the end, over everything."""
    began: float = 0.0
    """Seconds since 1970."""
    seconds: float = 0.0
    evidence: str | None = None
    """What it rests on: the id of a signed entry, the digest of what was written."""

    @property
    def passed(self) -> bool:
        return self.result is TryResult.PASS


class ProcedureEnd(Model):
    """How a run ended."""

    state: ProcedureState
    reason: str = ""
    needs_human: bool = False
    left: tuple[str, ...] = ()
    """What was to be undone and was not."""


class ProcedureRun(Model):
    """A run as the engine knows it now. Nothing in it is a decision: those are in git."""

    id: str
    request: RunRequest | None
    """Nothing where the engine's record cannot be read."""
    state: ProcedureState
    finished: bool = False
    needs_human: bool = False
    reason: str = ""
    current: str | None = None
    """What it is at."""
    left: tuple[str, ...] = ()
    plan: ProcedurePlan | None = None
    tries: tuple[ProcedureTry, ...] = ()
    created: float | None = None
    ended: float | None = None
    withdrawn: bool = False
    """Whether somebody asked to end it."""

    @property
    def seconds(self) -> float | None:
        """How long it took from asking to its end."""
        return None if self.created is None or self.ended is None else self.ended - self.created

    @property
    def rolled_back(self) -> bool:
        return self.finished and self.state is ProcedureState.ROLLBACK


class RuleFigures(Model):
    """How often a rule was judged, and how often it held."""

    rule: str
    severity: Severity | None
    judged: int
    held: int


class TypeFigures(Model):
    """How the runs of one procedure ended."""

    procedure: str
    runs: int
    completed: int
    rolled_back: int
    failed: int
    open: int
    mean_seconds: float | None


class ProcedureFigures(Model):
    """All runs, counted."""

    types: tuple[TypeFigures, ...] = ()
    rules: tuple[RuleFigures, ...] = ()


class Latency(Model):
    """How long runs took from asking to their end, in seconds."""

    median: float
    p90: float
    p95: float
    p99: float
    longest: float


class ProfileReport(Model):
    """How the engine stood one reliability profile."""

    profile: str
    kind: str
    procedure: str
    engine: str
    iterations: int
    concurrent: int
    failure_rate: float
    seconds: float
    completed: int
    rolled_back: int
    failed: int
    """Runs that failed before there was anything to undo."""
    stopped: int
    """Runs whose rollback failed, or that ended by a fault."""
    timed_out: int
    injected: int
    """Runs in which a step was made to fail."""
    as_expected: int
    """Runs that ended as they had to: completed where nothing was made to fail, undone where something was."""
    repeated: int
    """Steps that were done again after they had been finished; there must be none."""
    latency: Latency | None
    success_minimum: float
    rollback_minimum: float

    @property
    def success_rate(self) -> float:
        return self.completed / self.iterations

    @property
    def rollback_rate(self) -> float | None:
        """The share of rollbacks that succeeded; nothing where nothing had to be undone."""
        began = self.rolled_back + self.stopped
        return self.rolled_back / began if began else None

    @property
    def held(self) -> bool:
        """Whether it stood: runs succeeded as often as they should, or were undone as often as they should."""
        untouched = self.iterations - self.injected
        succeeded = not untouched or self.completed / untouched >= self.success_minimum
        undone = self.rollback_rate is None or self.rollback_rate >= self.rollback_minimum
        return succeeded and undone and not self.repeated
