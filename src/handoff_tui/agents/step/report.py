"""The values of a step: what its agent is told, what the run came to, and what comes next."""

from __future__ import annotations

from enum import StrEnum

from handoff_tui.agents.runs.run import RunEnd, RunKey, RunState
from handoff_tui.core.model import Model
from handoff_tui.core.place import Severity
from handoff_tui.core.tasks import Blocker, Fact, Proof, ReportedFinding, Task, TestCounts
from handoff_tui.decisions.views import Packet

CONTEXT_SCHEMA = "handoff-tui/context/v1"


class Direction(StrEnum):
    """How a phase came to be entered."""

    FORWARD = "forward"
    """The gate before it is open."""
    AGAIN = "again"
    """The same phase again: it was sent back, or never handed over."""
    FAILED = "failed"
    """Along the failure edge."""
    BACK = "back"
    """Somebody wants an earlier phase repeated."""
    PROCEDURE = "procedure"
    """A procedure does or undoes a step in the phase."""


class Route(Model):
    """How work comes into a phase."""

    pipeline: str
    phase: str
    source: str | None = None
    """The phase whose work is there."""
    direction: Direction


class RoleContext(Model):
    """Who the agent is."""

    name: str
    title: str = ""
    prompt: str = ""
    standards: tuple[str, ...] = ()


class DocumentContext(Model):
    """A document of the handoff, with its digest."""

    path: str
    role: str
    sha256: str | None = None


class HandoffContext(Model):
    """The handoff so far, as its documents claim."""

    id: str
    dialect: str
    title: str | None = None
    status: str | None = None
    message: str | None = None
    next_action: str | None = None
    source_agent: str | None = None
    target_agent: str | None = None
    documents: tuple[DocumentContext, ...] = ()
    tasks: tuple[Task, ...] = ()
    blockers: tuple[Blocker, ...] = ()
    findings: tuple[ReportedFinding, ...] = ()
    proofs: tuple[Proof, ...] = ()
    tests: TestCounts | None = None
    facts: tuple[Fact, ...] = ()


class TouchedFile(Model):
    """A file that differs between before and after a run."""

    path: str
    change: str
    """added, deleted, modified, renamed, type-changed."""
    old_path: str | None = None


class NewCommit(Model):
    """A commit made during a run."""

    id: str
    subject: str
    author: str = ""


class PreviousContext(Model):
    """What the previous agent left, measured."""

    phase: str
    agent: str = ""
    attempt: int = 1
    number: int = 1
    outcome: str = ""
    code: int | None = None
    seconds: float = 0.0
    files: tuple[TouchedFile, ...] = ()
    commits: tuple[NewCommit, ...] = ()
    output: tuple[str, ...] = ()
    """The last lines it printed."""
    output_sha256: str = ""


class BaselineContext(Model):
    """What was approved last, and what is here now."""

    commit: str | None = None
    snapshot: str | None = None
    reason: str = ""
    tests: dict[str, int] = {}
    """How many tests have which outcome now."""
    packages: int = 0
    checks_passed: int = 0
    checks_total: int = 0
    failing: tuple[str, ...] = ()
    """Blocking checks that fail now."""


class FixTask(Model):
    """Something to fix; listed once, however many reports name it."""

    id: str
    title: str
    source: str
    """`check:<id>`, or the path of the report."""
    severity: Severity | None = None
    priority: int = 0
    """The higher, the sooner."""
    place: str = ""
    detail: str = ""
    also: tuple[str, ...] = ()
    """Other sources that report the same."""


class OperatorNote(Model):
    """A note from a person to the agent."""

    text: str
    author: str
    time: str


class StepContext(Model):
    """Everything an agent is told, fresh for each run: what the edge into its phase passes on."""

    key: RunKey
    route: Route
    role: RoleContext
    repository: str
    folder: str
    commit: str | None = None
    branch: str | None = None
    handoff: HandoffContext
    previous: PreviousContext | None = None
    baseline: BaselineContext
    packet: Packet | None = None
    fix_tasks: tuple[FixTask, ...] = ()
    notes: tuple[OperatorNote, ...] = ()
    tries_left: int = 0
    procedure: str | None = None
    """The run of a procedure that it works for; None if a person started it."""
    transfer: str | None = None
    """The folder with what that run hands over."""


class Sign(StrEnum):
    """What can count against a run besides its exit code."""

    NOT_STARTED = "not-started"
    FAILED = "failed"
    TIMED_OUT = "timed-out"
    STOPPED = "stopped"
    FLOODED = "flooded"
    LOST = "lost"
    DID_NOTHING = "did-nothing"
    ERROR_IN_OUTPUT = "error-in-output"
    OUTPUT_REWRITTEN = "output-rewritten"
    LEFT_RUNNING = "left-running"
    WROTE_OUTSIDE = "wrote-outside"
    BRANCH_MOVED = "branch-moved"
    BRANCH_DELETED = "branch-deleted"
    HISTORY_REWRITTEN = "history-rewritten"
    OWN_FOLDER_EDITED = "own-folder-edited"
    CHECKS_EDITED = "checks-edited"
    GIT_EDITED = "git-edited"
    UNREADABLE = "unreadable"
    OVER_BUDGET = "over-budget"
    DENIED = "denied"
    NOT_COMMITTED = "not-committed"
    NO_VERDICT = "no-verdict"
    NO_LOGIN = "no-login"
    NO_NETWORK = "no-network"
    LIMITED = "limited"
    REFUSED = "refused"
    WRONG_ARGUMENTS = "wrong-arguments"
    DISK_FULL = "disk-full"


class Notice(Model):
    """One thing that counts against a run."""

    sign: Sign
    severity: Severity
    text: str
    places: tuple[str, ...] = ()
    remedy: str = ""
    """What a person can do about it; "" if there is nothing to say."""


class StepOutcome(StrEnum):
    """What a step came to. None of these is a decision."""

    READY = "ready"
    """A person can decide at the gate, or the next phase has none."""
    FAILED = "failed"
    STOPPED = "stopped"
    NEEDS_HUMAN = "needs-human"


class TrailEntry(Model):
    """One run of the loop, summarised."""

    phase: str
    attempt: int
    number: int
    outcome: StepOutcome
    why: str
    began: float = 0.0
    counted: bool = False
    """Whether it counts against the retry budget."""


class Budget(Model):
    """Failed runs of the loop since a person last decided, and how many are allowed."""

    used: int = 0
    allowed: int = 0

    @property
    def left(self) -> int:
        return max(0, self.allowed + 1 - self.used)

    @property
    def is_spent(self) -> bool:
        return self.used > self.allowed


class StepReport(Model):
    """What one run came to, all of it measured."""

    key: RunKey
    route: Route
    agent: str
    owner: str = ""
    folder: str
    branch: str | None = None
    end: RunEnd
    outcome: StepOutcome
    why: tuple[str, ...] = ()
    notices: tuple[Notice, ...] = ()
    files: tuple[TouchedFile, ...] = ()
    commits: tuple[NewCommit, ...] = ()
    head_before: str | None = None
    head_after: str | None = None
    tree_after: str | None = None
    """The files after the run, as a git tree in our cache."""
    has_gate: bool = True
    """Whether a person must decide behind this phase."""
    gate: str | None = None
    """The state of the gate by the signed log; None if it could not be examined."""
    failing: tuple[str, ...] = ()
    """Blocking checks that fail."""
    checks_passed: int = 0
    checks_total: int = 0
    fix_tasks: tuple[FixTask, ...] = ()
    next_phase: str | None = None
    """Where the work goes from here, by the pipeline."""
    next_direction: Direction | None = None
    next_by_person: bool = False
    """Whether only a person may start that phase."""
    next_move: str = ""
    """Who does what next, in words."""
    budget: Budget = Budget.model_construct()
    trail: tuple[TrailEntry, ...] = ()
    proof: str = ""
    """The output, kept as proof of work."""
    context_sha256: str = ""
    prompt_sha256: str = ""


class RunView(Model):
    """Everything that a screen shows of one run."""

    state: RunState
    report: StepReport | None = None
    """None until the run is over and was examined."""
    last_line: str = ""
    """The last line of its output as printed, not yet safe to show."""
    output: str = ""
    """The file with its output."""
    edited: tuple[str, ...] = ()
    """Files of a run that is over which somebody edited since; handoff-tui didn't."""


class Overlap(Model):
    """A file that several running agents are changing."""

    path: str
    runs: tuple[str, ...]


class MergePreview(Model):
    """What a merge of an agent's branch would bring."""

    handoff: str
    phase: str
    branch: str
    folder: str
    gate: str
    """The state of the gate, judged by the work on the branch."""
    commits: tuple[NewCommit, ...]
    conflicts: tuple[str, ...] = ()
    """Files that both sides changed in ways that git can't join."""
