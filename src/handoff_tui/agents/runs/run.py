"""One run of an agent: what starts, how it goes, how it ends. Also the lock and the work tree it has."""

from __future__ import annotations

from enum import StrEnum

from handoff_tui.core.model import Model

AGENT_STEP = "agent"
"""The step of a run that a person started."""


class RunKey(Model):
    """Which run of which attempt. It names the run's folder."""

    handoff: str
    phase: str
    attempt: int = 1
    step: str = AGENT_STEP
    number: int = 1
    """The first run of a step is 1."""


class RunPlan(Model):
    """What a supervisor is told; without the values of variables, which may be secrets, because it stays on disk."""

    key: RunKey
    argv: tuple[str, ...]
    folder: str
    """Where the agent works."""
    timeout_seconds: float
    grace_seconds: float = 5.0
    output_bytes: int = 1024 * 1024 * 1024
    """An agent that prints more is stopped."""
    environment: tuple[str, ...] = ()
    """The names of the variables it gets."""
    owner: str = ""
    """Who started it."""
    agent: str = ""
    """The agent's name in the configuration."""
    context_sha256: str = ""
    prompt_sha256: str = ""
    may_change_nothing: bool = False
    """Whether exiting with 0 without any change is fine."""
    mark: str = ""
    """A mark in the environment of every process of the run; made when the run is written."""
    lock: str | None = None
    """The lock file of the phase, which the supervisor keeps fresh and removes at the end."""
    input: str = "none"
    """What the agent reads from its standard input: none, prompt or messages."""
    stream: str | None = None
    """The form of its output; None if it is only text."""
    session: str = ""
    """The session that its program was asked to make; "" if the program names it itself."""
    resume: tuple[str, ...] = ()
    """The command with which a person goes on with the session."""
    max_cost: float | None = None
    max_tokens: int | None = None
    max_turns: int | None = None
    stated: str = ""
    """The phase that the documents named when it began."""
    lacks_login: bool = False
    """Whether no login was found for a program that doesn't say so itself."""


class RunStatus(StrEnum):
    """How far a run is."""

    ABSENT = "absent"
    PREPARED = "prepared"
    RUNNING = "running"
    PAUSED = "paused"
    FINISHED = "finished"
    LOST = "lost"
    """Its supervisor died without recording how it ended."""


ALIVE = frozenset({RunStatus.RUNNING, RunStatus.PAUSED})
UNDER_WAY = ALIVE | {RunStatus.PREPARED}


class RunEnding(StrEnum):
    """What ended a run."""

    EXITED = "exited"
    SIGNALLED = "signalled"
    TIMED_OUT = "timed-out"
    STOPPED = "stopped"
    FLOODED = "flooded"
    """It printed too much."""
    OVER_BUDGET = "over-budget"
    """It went over max_cost, max_tokens or max_turns."""
    GAVE_UP = "gave-up"
    """Its program only complained: no login, or no network."""
    NOT_STARTED = "not-started"
    LOST = "lost"


class DeniedCall(Model):
    """Something that an agent was not allowed to do, and did not do later either."""

    text: str
    purpose: str
    """commit, tests, edit or other."""


class RunUsage(Model):
    """What a run came to by its own stream."""

    model: str = ""
    session: str = ""
    cost: float | None = None
    """In US dollars; None if the program does not say."""
    tokens_in: int = 0
    tokens_out: int = 0
    turns: int = 0
    denials: tuple[DeniedCall, ...] = ()
    succeeded: bool | None = None
    """The program's own verdict; None if it gave none."""
    verdict: str = ""
    """The agent's last word, or why it failed."""
    trouble: str | None = None
    """login, network, limit, refusal or arguments, if that is what the program last complained about."""
    excess: str = ""
    """Which limit it went over."""


class RunProcess(Model):
    """The supervisor, through which the agent is controlled. Its pid may belong to another process by now."""

    pid: int
    started: str
    """When the process began, as the system counts; tells a reused pid."""
    host: str
    agent_pid: int | None = None
    since: float = 0.0


class RunEnd(Model):
    """How a run ended, as its supervisor recorded it."""

    ending: RunEnding
    code: int | None = None
    signal: int | None = None
    failure: str | None = None
    """Why it could not be started, or why it was stopped."""
    usage: RunUsage | None = None
    """None if its output is only text, or nobody saw it end."""
    began: float = 0.0
    ended: float = 0.0
    seconds: float = 0.0
    output_bytes: int = 0
    output_sha256: str = ""
    output_rewritten: bool = False
    """Whether earlier output was removed again."""
    left_running: int = 0
    """How many processes it left running; they were ended."""
    disk_full: bool = False
    """Whether there was no room left where it worked when it ended."""

    @property
    def succeeded(self) -> bool:
        """Whether it exited with 0, whatever it did."""
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
    """When its supervisor last gave a sign of life, in seconds since 1970."""
    elapsed: float = 0.0
    survivors: int = 0
    """How many processes of a lost run are still there."""

    @property
    def is_over(self) -> bool:
        return self.status in {RunStatus.FINISHED, RunStatus.LOST}


class PhaseLock(Model):
    """Who is at work in a phase of a repository."""

    phase: str
    handoff: str = "?"
    attempt: int = 0
    owner: str = "somebody"
    pid: int = 0
    started: str = ""
    host: str
    since: float = 0.0
    mark: str = ""
    """The mark of the holder's run, by which it recognises its lock."""


class LockState(Model):
    """A lock as it is now. `alive` is None if nobody can tell (another machine)."""

    lock: PhaseLock
    heartbeat: float
    age_seconds: float
    alive: bool | None
    stale: bool


class LeftWorktree(Model):
    """A work tree of an agent that still exists."""

    folder: str
    branch: str | None = None
    kept: str = ""
    """Why it is not removed automatically; "" if a ref contains all of its work."""
