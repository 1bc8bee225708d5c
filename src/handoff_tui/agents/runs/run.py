"""One run of an agent: what is started, how it goes, how it ended."""

from __future__ import annotations

from enum import StrEnum

from handoff_tui.core.model import Model

AGENT_STEP = "agent"
"""The step of a run that is started by hand."""


class RunKey(Model):
    """Which run: one try at one step of one attempt. It names the run's folder."""

    handoff: str
    phase: str
    attempt: int = 1
    step: str = AGENT_STEP
    number: int = 1
    """The try: the first is 1."""


class RunPlan(Model):
    """What a supervisor is told. Values of variables are not in it: they may be secrets, and it is kept on disk."""

    key: RunKey
    argv: tuple[str, ...]
    folder: str
    """Where the agent works."""
    timeout_seconds: float
    grace_seconds: float = 5.0
    output_bytes: int = 1024 * 1024 * 1024
    """An agent that prints more is stopped."""
    environment: tuple[str, ...] = ()
    """Names of the variables it is given."""
    owner: str = ""
    """Who started it."""
    agent: str = ""
    """The agent's name in the configuration."""
    context_sha256: str = ""
    prompt_sha256: str = ""
    may_change_nothing: bool = False
    """Whether an exit with 0 and nothing changed is as it should be."""
    mark: str = ""
    """What every process of the run carries in its environment; made when the run is written."""
    lock: str | None = None
    """The file of the phase's lock, which the supervisor keeps fresh and takes away at its end."""


class RunStatus(StrEnum):
    """How far a run is."""

    ABSENT = "absent"
    PREPARED = "prepared"
    RUNNING = "running"
    PAUSED = "paused"
    FINISHED = "finished"
    LOST = "lost"
    """Its supervisor died without a word about how it ended."""


class RunEnding(StrEnum):
    """What ended a run."""

    EXITED = "exited"
    SIGNALLED = "signalled"
    TIMED_OUT = "timed-out"
    STOPPED = "stopped"
    FLOODED = "flooded"
    """It printed more than it may."""
    NOT_STARTED = "not-started"
    LOST = "lost"


class RunProcess(Model):
    """The supervisor, by which the agent is reached. A pid alone may be somebody else's by now."""

    pid: int
    started: str
    """When the process began, as the system counts: it guards the pid."""
    host: str
    agent_pid: int | None = None
    since: float = 0.0


class RunEnd(Model):
    """How a run ended, as its supervisor wrote it down."""

    ending: RunEnding
    code: int | None = None
    signal: int | None = None
    failure: str | None = None
    """Why it could not be started."""
    began: float = 0.0
    ended: float = 0.0
    seconds: float = 0.0
    output_bytes: int = 0
    output_sha256: str = ""
    output_rewritten: bool = False
    """Whether output that was there already was taken away again."""
    left_running: int = 0
    """Processes that it had left running; they were ended."""

    @property
    def succeeded(self) -> bool:
        """Whether it exited with 0; what it did is another question."""
        return self.ending is RunEnding.EXITED and self.code == 0


class RunState(Model):
    """A run as it is on disk now."""

    key: RunKey
    folder: str
    status: RunStatus
    plan: RunPlan | None = None
    process: RunProcess | None = None
    end: RunEnd | None = None
    output_bytes: int = 0
    heartbeat: float | None = None
    """When its supervisor last gave a sign, in seconds since 1970."""
    elapsed: float = 0.0
    survivors: int = 0
    """Processes of a lost run that are still there."""

    @property
    def is_over(self) -> bool:
        return self.status in {RunStatus.FINISHED, RunStatus.LOST}


class PhaseLock(Model):
    """Who is at work in a phase of a repository."""

    phase: str
    handoff: str
    attempt: int
    owner: str
    pid: int
    started: str
    host: str
    since: float
    mark: str
    """The mark of the holder's run, by which it knows its lock again."""


class LockState(Model):
    """A lock as it is found. `alive` is nothing where it cannot be told (another machine)."""

    lock: PhaseLock
    heartbeat: float
    age_seconds: float
    alive: bool | None
    stale: bool


class LeftWorktree(Model):
    """A work tree that an agent had to itself, and that is still there."""

    folder: str
    branch: str | None = None
    kept: str = ""
    """Why it is not taken away by itself; nothing where all of its work is in commits that a ref leads to."""
