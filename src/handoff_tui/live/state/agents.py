"""Agents at the desk: their tries, a window into what one of them printed, and what is about to be done."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

from handoff_tui.agents.proofs import ProofRecord, TaskProofs
from handoff_tui.agents.rollback.report import RollbackPreview, RollbackRecord
from handoff_tui.agents.runs.run import LockState, RunKey
from handoff_tui.agents.step.report import RunView
from handoff_tui.checks.report import RequestedCommands
from handoff_tui.core.text.pictures import Picture

if TYPE_CHECKING:
    from handoff_tui.live.state.app import Trouble


class PhaseCommand(NamedTuple):
    """An agent that can be started, and who says so."""

    pipeline: str
    phase: str
    command: str
    from_repository: bool


class Breakpoint(NamedTuple):
    """A breakpoint: where agents that go on by themselves are held up."""

    phase: str
    before: bool
    """Before the phase begins; else when it has ended."""


class ScheduledRun(NamedTuple):
    """A try that starts by itself in a while."""

    root: str
    handoff: str
    phase: str
    at: datetime
    why: str


class Activity(NamedTuple):
    """What goes on because of this desk, whatever is in view."""

    runs: tuple[RunKey, ...] = ()
    """Agents that were started here and have not ended."""
    coming: tuple[ScheduledRun, ...] = ()
    looking: tuple[RunKey, ...] = ()
    """Agents that have ended, and whose work is being looked at."""


NO_ACTIVITY = Activity()


class AgentsView(NamedTuple):
    """Who was started for the handoff in view, who holds a phase, and who could be started."""

    runs: tuple[RunView, ...]
    """Oldest first."""
    locks: tuple[LockState, ...] = ()
    agents: tuple[PhaseCommand, ...] = ()
    looking: frozenset[RunKey] = frozenset()
    """Runs that have ended, and whose work is being looked at now."""
    coming: ScheduledRun | None = None
    loops: bool = False
    """Whether agents follow one another by themselves, up to where a person is needed."""
    stops: frozenset[Breakpoint] = frozenset()


class OutputSource(StrEnum):
    """Which text of a run is read."""

    OUTPUT = "output"
    PROMPT = "prompt"
    """What it was told."""


class OutputRange(NamedTuple):
    """The lines that are wanted; without a first one, the last ones, also while more are printed."""

    run: RunKey
    source: OutputSource
    first: int | None
    height: int
    """How many fit on the screen."""


class OutputWindow(NamedTuple):
    """Some lines of a text of any length, as they were printed: not yet safe to show."""

    run: RunKey
    source: OutputSource
    first: int
    lines: tuple[str, ...]
    total: int
    """How many lines are known by now."""
    size: int
    complete: bool
    """Whether all that was printed is counted."""


class OutputFound(NamedTuple):
    """What a search came to; the number tells one from the next."""

    number: int
    text: str
    line: int | None


class ProposalKind(StrEnum):
    """What a person can have done about agents; each is shown first, and confirmed."""

    STEP = "step"
    AGAIN = "again"
    """A step into the phase whose work is there."""
    BACK = "back"
    """A step into the phase before."""
    LOOP = "loop"
    """A step, and those that follow from it, up to where a person is needed."""
    STOP = "stop"
    UNLOCK = "unlock"
    ROLLBACK = "rollback"
    UNDO = "undo"
    TRUST = "trust"
    """Consent that the repository's own commands may run as checks."""


class ProposalStage(StrEnum):
    """How far it has come."""

    PREPARING = "preparing"
    READY = "ready"
    REFUSED = "refused"
    DOING = "doing"
    DONE = "done"


class StepPlan(NamedTuple):
    """What would be started."""

    handoff: str
    phase: str
    attempt: int
    number: int
    direction: str
    source: str | None
    agent: str
    argv: tuple[str, ...]
    """As configured: names in braces are filled in when it is started."""
    folder: str
    worktree: bool
    """Whether that is a work tree of its own."""
    environment: tuple[str, ...]
    """Names of the variables that it is given."""
    timeout_seconds: float
    tries_left: int
    from_repository: bool
    prompt: str
    """Word for word what it would be told."""
    waits: tuple[float, ...] = ()
    """Seconds before each further try that starts by itself when the agent fails by itself."""
    demands: int = 0
    """Points of whoever sent the work back; they are in the prompt."""
    failure_target: str | None = None
    """Where failed work goes back to."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """Something that is about to be done, and what is known of it so far."""

    number: int
    kind: ProposalKind
    stage: ProposalStage
    plan: StepPlan | None = None
    run: RunView | None = None
    lock: LockState | None = None
    rollback: RollbackPreview | None = None
    record: RollbackRecord | None = None
    trust: RequestedCommands | None = None
    typed: str = ""
    """What must be typed before it is done; nothing where one key is enough."""
    typed_why: str = ""
    stops: frozenset[Breakpoint] = frozenset()
    """Breakpoints that would hold up what follows by itself."""
    note: str = ""
    """What is to be known besides: that it is not what was shown before."""
    trouble: Trouble | None = None


class Bell(NamedTuple):
    """What the terminal is to be sent, once: bell and notification. The number tells one from the next."""

    number: int
    sequence: str


class ProofShown(NamedTuple):
    """A proof that is open: a picture, or lines of text that are not yet safe to show."""

    proof: ProofRecord
    lines: tuple[str, ...] = ()
    picture: Picture | None = None
    note: str = ""
    """What is to be known of it: that it is a part, or why it cannot be shown."""
    run: RunKey | None = None
    """The run whose output it is."""


class ProofsView(NamedTuple):
    """The proofs of work of the handoff in view."""

    tasks: tuple[TaskProofs, ...]
    shown: ProofShown | None = None
