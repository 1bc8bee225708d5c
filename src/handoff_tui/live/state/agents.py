"""Agents in the app: their runs, a window into an output, and what is about to be done."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING

from handoff_tui.agents.proofs import MeasuredProof, TaskProofs
from handoff_tui.agents.rollback.report import Rollback, RollbackPreview
from handoff_tui.agents.runs.run import LockState, RunKey
from handoff_tui.agents.step.report import Overlap, RunView
from handoff_tui.checks.report import RequestedCommands
from handoff_tui.core.classes import NamedTuple, dataclass
from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.core.text.pictures import Picture

if TYPE_CHECKING:
    from handoff_tui.live.state.app import Trouble

_PLACE = compile_later(
    r'(?<![\w./:@+-])((?:[\w.@+-]+/)*[\w@+-][\w.@+-]*\.\w{1,8})(?:(?:", line |:)(\d{1,7}))?(?![\w/])'
)
"""`src/app.py:12`, `File "src/app.py", line 12`, `src/app.py`; no absolute paths."""
_NEVER = frozenset({"..", ".git"})
"""A path through these is not part of the work."""
_MOST = 50
_LONGEST_LINE = 500


class PhaseCommand(NamedTuple):
    """An agent that can be started, and whether the repository configures it."""

    pipeline: str
    phase: str
    command: str
    from_repository: bool


class Breakpoint(NamedTuple):
    """Where agents that follow one another are stopped."""

    phase: str
    before: bool
    """Before the phase begins; otherwise after it has ended."""

    def __str__(self) -> str:
        return f"{'before' if self.before else 'after'} {self.phase}"


class ScheduledRun(NamedTuple):
    """A run that starts automatically in a while."""

    root: str
    handoff: str
    phase: str
    at: datetime
    why: str


class Activity(NamedTuple):
    """What this app has running, whatever is in view."""

    runs: tuple[RunKey, ...] = ()
    """Agents that were started here and have not ended."""
    scheduled: tuple[ScheduledRun, ...] = ()
    reviewing: tuple[RunKey, ...] = ()
    """Agents that have ended and whose work is being reviewed."""


NO_ACTIVITY = Activity()


class AgentsView(NamedTuple):
    """The runs of the handoff in view, who holds a phase, and which agents can be started."""

    runs: tuple[RunView, ...]
    """Oldest first."""
    locks: tuple[LockState, ...] = ()
    agents: tuple[PhaseCommand, ...] = ()
    reviewing: frozenset[RunKey] = frozenset()
    """Runs that have ended and whose work is being reviewed."""
    scheduled: ScheduledRun | None = None
    loops: bool = False
    """Whether agents follow one another until a person is needed."""
    breakpoints: frozenset[Breakpoint] = frozenset()
    overlaps: tuple[Overlap, ...] = ()
    """Files that an agent of this handoff is changing, and another agent too."""


class OutputSource(StrEnum):
    """Which text of a run is read."""

    OUTPUT = "output"
    PROMPT = "prompt"
    """What the agent was told."""


class OutputRange(NamedTuple):
    """The wanted lines; without a first one, the last ones, also while more are printed."""

    run: RunKey
    source: OutputSource
    first: int | None
    height: int
    """How many lines fit on the screen."""


class OutputWindow(NamedTuple):
    """Some lines of a text of any length, as printed: not yet safe to show."""

    run: RunKey
    source: OutputSource
    first: int
    lines: tuple[str, ...]
    total: int
    """How many lines are known so far."""
    size: int
    complete: bool
    """Whether everything printed has been counted."""


class OutputFound(NamedTuple):
    """The result of a search; the number tells one from the next."""

    number: int
    text: str
    line: int | None


class ProposalKind(StrEnum):
    """What a person can have done about agents; each is shown first and confirmed."""

    STEP = "step"
    AGAIN = "again"
    """A step into the phase whose work is there."""
    BACK = "back"
    """A step into the previous phase."""
    LOOP = "loop"
    """A step, and those that follow from it until a person is needed."""
    STOP = "stop"
    UNLOCK = "unlock"
    ROLLBACK = "rollback"
    UNDO = "undo"
    TRUST = "trust"
    """Consent to run the repository's commands as checks."""


class ProposalStage(StrEnum):
    """How far a proposal has come."""

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
    """As configured; names in braces are filled in at the start."""
    folder: str
    worktree: bool
    """Whether the folder is a separate work tree."""
    environment: tuple[str, ...]
    """Names of the variables it is given."""
    timeout_seconds: float
    tries_left: int
    from_repository: bool
    prompt: str
    """Word for word what it would be told."""
    waits: tuple[float, ...] = ()
    """Seconds before each automatic retry."""
    demands: int = 0
    """How many points the reviewer raised who sent the work back; they are in the prompt."""
    failure_target: str | None = None
    """The phase that failed work goes back to."""


@dataclass(frozen=True, slots=True)
class AgentProposal:
    """Something about to be done, and what is known of it so far."""

    number: int
    kind: ProposalKind
    stage: ProposalStage
    plan: StepPlan | None = None
    run: RunView | None = None
    lock: LockState | None = None
    rollback: RollbackPreview | None = None
    record: Rollback | None = None
    trust: RequestedCommands | None = None
    typed: str = ""
    """What must be typed to confirm; empty if one key is enough."""
    typed_why: str = ""
    breakpoints: frozenset[Breakpoint] = frozenset()
    """Breakpoints that would stop what follows."""
    note: str = ""
    """What else to know: for example, that it differs from what was shown before."""
    trouble: Trouble | None = None


class Bell(NamedTuple):
    """Bell and notification to send to the terminal once. The number tells one from the next."""

    number: int
    sequence: str


class ProofShown(NamedTuple):
    """The open proof: a picture, or lines of text that are not yet safe to show."""

    proof: MeasuredProof
    lines: tuple[str, ...] = ()
    picture: Picture | None = None
    note: str = ""
    """What else to know: that it is a part, or why it cannot be shown."""
    run: RunKey | None = None
    """The run whose output it is."""


class ProofsView(NamedTuple):
    """The proofs of work of the handoff in view."""

    tasks: tuple[TaskProofs, ...]
    shown: ProofShown | None = None


class MentionedFile(NamedTuple):
    """A file of the repository as an output mentions it; it may not exist."""

    path: str
    line: int | None = None


def find_mentioned_files(lines: Iterable[str], root: str = "") -> tuple[MentionedFile, ...]:
    """Lists each file and line once, in the order of the lines; cuts `root` off.

    A mere name counts as a file only with a folder or a line number.
    """
    places: dict[MentionedFile, None] = {}
    for line in lines:
        text = line[:_LONGEST_LINE]
        for match in _PLACE.finditer(text.replace(f"{root}/", "") if root else text):
            path, number = match[1].removeprefix("./"), match[2]
            if ("/" in path or number) and _NEVER.isdisjoint(path.split("/")):
                places[MentionedFile(path, int(number) if number else None)] = None
    return tuple(places)[:_MOST]
