"""Pipelines: phases, the edges between them, the gate behind each, and where failure leads."""

from __future__ import annotations

import re
from enum import StrEnum
from itertools import pairwise
from typing import Literal

from handoff_tui.config.pipeline import Edge, Passing, Phase, Pipeline
from handoff_tui.config.presets import ALLOWED, PRESETS, USUAL_ENVIRONMENT
from handoff_tui.config.quantities import Amount, Arguments, Count, Name, Pause, Quantity, Seconds
from handoff_tui.config.settings.roles import ROLES
from handoff_tui.core.model import Model

_PROMPT = """\
# {handoff}: {phase}, attempt {attempt}

You are the agent of the phase {phase}.
{role}

Work in {folder}. Commit what you do, then end: the checks run when you have ended, and a person decides.
Everything that is known is below, and in {context_file} for programs.

{context}

{packet}
"""

_GUARDED = ("~/.ssh", "~/.gnupg", "~/.gitconfig", "~/.config/git", "~/.bashrc", "~/.profile", "~/.zshrc")


class WorkFolder(StrEnum):
    """Where an agent works."""

    REPOSITORY = "repository"
    WORKTREE = "worktree"


class AgentHome(StrEnum):
    """The home folder an agent is given."""

    SHARED = "shared"
    PRIVATE = "private"


class AgentInput(StrEnum):
    """What an agent reads from its standard input."""

    NONE = "none"
    PROMPT = "prompt"
    MESSAGES = "messages"
    """JSON lines, as Claude Code reads them: the prompt first, and notes while it works."""


class Agent(Model):
    """An agent that is started by a command."""

    preset: Literal["claude", "codex", "gemini", "opencode", "goose", "aider"] | None = None
    """A program that handoff-tui knows how to run; the settings below then have its values unless you set them."""
    command: Arguments
    """The program and its arguments. Filled in are {prompt}, {prompt_file}, {context_file}, {notes_file}, {handoff},
    {phase}, {attempt}, {folder}, {repository}, {git_folder}, {run_folder} and {session}."""
    arguments: tuple[Name, ...] = ()
    """Further words for the command of a preset, such as --model and its name."""
    allow: tuple[Name, ...] = ALLOWED
    """How commands begin that an agent of a preset may run without asking: git's for a commit, and the tests."""
    identity: str = ""
    """Who the author of its commits is, as Name <address>; if empty, whoever git knows."""
    variables: dict[Name, str] = {}
    """Variables with their values, filled in like the command."""
    input: AgentInput = AgentInput.NONE
    """What it reads from its standard input."""
    stream: Literal["claude", "codex", "gemini", "opencode", "goose", "aider"] | None = None
    """The form of its output, so that it can be shown as a transcript and its cost counted."""
    resume: tuple[Name, ...] = ()
    """The command with which you go on with its session at your terminal."""
    max_cost: Amount | None = None
    """What one run may cost in US dollars before it is stopped, by what the program says."""
    max_tokens: Quantity | None = None
    """How many tokens one run may use, read and written, before it is stopped."""
    max_turns: Quantity | None = None
    """How many times the model may answer in one run before it is stopped."""
    role: str = ""
    """Who it is and what to do, said first; if empty, the prompt of the role of its name in [hub.roles]."""
    folder: WorkFolder = WorkFolder.REPOSITORY
    """Where it works: in the repository itself, or in a separate work tree and branch."""
    environment: tuple[Name, ...] = USUAL_ENVIRONMENT
    """Variables it is given; all others are held back."""
    home: AgentHome = AgentHome.SHARED
    """Whether HOME is yours, with your keys and login files, or a folder of its own, kept between runs."""
    timeout_seconds: Seconds = 1800.0
    """How long one attempt may take."""
    grace_seconds: Seconds = 5.0
    """How long it may take to stop when told to, before it is killed."""
    output_bytes: Quantity = 1024 * 1024 * 1024
    """How much it may print before it is stopped."""
    retries: Count = 0
    """Attempts after the first if it fails: an exit code other than 0, or a timeout."""
    starts_again: bool = False
    """Whether the app starts it by itself when you send its work back."""
    backoff_seconds: tuple[Pause, ...] = (1.0, 2.0, 4.0)
    """The wait before each retry; the last one is used again when there are more retries."""
    prompt: str = _PROMPT
    """The prompt; {role}, {context}, {packet} and what the command knows are filled in."""
    may_change_nothing: bool = False
    """Whether exit code 0 without a changed file is fine: for an agent that only reads, or works elsewhere."""
    guarded: tuple[Name, ...] = _GUARDED
    """Files and folders that it must leave alone: a change there is reported."""

    def refuse_contradictions(self) -> None:
        if self.identity and not re.fullmatch(r"[^<>\n]+ <[^<>\s]+>", self.identity):
            raise ValueError(f"has the identity {self.identity!r}; write it as Name <address>")
        if self.stream is None and any(limit is not None for limit in (self.max_cost, self.max_tokens, self.max_turns)):
            raise ValueError("needs a stream to be held to max_cost, max_tokens or max_turns: set preset or stream")
        if self.stream is not None and self.max_cost is not None and not PRESETS[self.stream].tells_cost:
            raise ValueError(f"has max_cost, but {self.stream} does not say what it costs; use max_tokens or max_turns")


class PipelineSettings(Model):
    """A pipeline. A handoff takes the one named after its format, or the one its phase belongs to."""

    phases: tuple[Phase, ...] = ()
    """The phases, in order."""
    edges: tuple[Edge, ...] = ()
    """How work may go on; with none, from each phase to the next."""
    failure_target: Name | None = None
    """The phase that failed work goes back to; with none, the same phase."""
    retry_budget: Count = 3
    """Attempts after the first before a person must decide."""

    def refuse_contradictions(self) -> None:
        names = [phase.name for phase in self.phases]
        gates: dict[str, str] = {}
        for name in names:  # the log has the same name for both, and a decision on one would open the other
            same = gates.setdefault(re.sub(r"[^a-z0-9._/-]+", "-", name.casefold()).lstrip("._/-"), name)
            if same != name or names.count(name) > 1:
                twice = "twice" if same == name else f"and {same!r}, which the log can't tell apart"
                raise ValueError(f"has the phase {name!r} {twice}")
        targets = [
            target for target in (self.failure_target, *(phase.failure_target for phase in self.phases)) if target
        ]
        for name in (*(end for edge in self.edges for end in (edge.source, edge.target)), *targets):
            if name not in names:
                raise ValueError(
                    f"names {name!r}, which is not one of its phases: {', '.join(map(repr, names)) or 'none'}"
                )

    def build(self, name: str) -> Pipeline:
        """The pipeline with its name and all its edges."""
        names = [phase.name for phase in self.phases]
        return Pipeline(
            name=name,
            phases=self.phases,
            edges=self.edges or tuple(Edge(source=source, target=target) for source, target in pairwise(names)),
            failure_target=self.failure_target,
            retry_budget=self.retry_budget,
        )


def _phase(
    system: str,
    name: str,
    agent: str | None = None,
    failure_target: str | None = None,
    *,
    gate: bool = True,
    human_only: bool = False,
) -> Phase:
    return Phase.model_construct(
        name=name,
        agent=agent,
        gate=gate,
        role=ROLES[system][name],
        failure_target=failure_target,
        human_only=human_only,
    )


_COMPLETE = Phase.model_construct(name="COMPLETE", gate=False, done=True)


def _edges(*edges: tuple[str, str, tuple[Passing, ...]]) -> tuple[Edge, ...]:
    return tuple(Edge.model_construct(source=source, target=target, passes=passes) for source, target, passes in edges)


_PLAN = (Passing.DOCUMENTS, Passing.TASKS)
_TEST = (Passing.DOCUMENTS, Passing.TASKS, Passing.FILES, Passing.OUTPUT)
_CODE = (Passing.DOCUMENTS, Passing.TASKS, Passing.FILES)
_REPORT = (Passing.DOCUMENTS, Passing.TASKS, Passing.FINDINGS, Passing.PROOFS, Passing.FILES)

_SESSION = PipelineSettings.model_construct(
    phases=(_phase("session", "work"), _phase("session", "resume", gate=False)), failure_target="work"
)

DEFAULT_PIPELINES: dict[Name, PipelineSettings] = {
    "mosaic": _SESSION,
    "builder": PipelineSettings.model_construct(
        phases=(
            _phase("builder", "spec", "architect", gate=False),
            _phase("builder", "questions", "builder"),
            _phase("builder", "build", "builder"),
            _phase("builder", "review", "reviewer"),
            _phase("builder", "integration", "builder"),
        ),
        failure_target="build",
    ),
    "procedure": PipelineSettings.model_construct(
        phases=(_phase("procedure", "source"), _phase("procedure", "target", gate=False)), failure_target="source"
    ),
    "tdd": PipelineSettings.model_construct(
        phases=(
            _phase("tdd", "PLAN", "test-list"),
            _phase("tdd", "RED", "test"),
            _phase("tdd", "GREEN", "implement"),
            _phase("tdd", "REFACTOR", "refactor"),
            _COMPLETE,
        ),
        edges=_edges(
            ("PLAN", "RED", _PLAN),
            ("RED", "GREEN", _TEST),
            ("GREEN", "REFACTOR", _CODE),
            ("REFACTOR", "PLAN", _CODE),
            ("PLAN", "COMPLETE", _PLAN),
            ("REFACTOR", "COMPLETE", _CODE),
        ),
    ),
    "hub": PipelineSettings.model_construct(
        phases=(
            _phase("hub", "DEV", "dev"),
            _phase("hub", "QA", "qa"),
            _phase("hub", "SEC", "security"),
            _phase("hub", "DOCS", "docs", "DOCS"),
            _COMPLETE,
            _phase("hub", "DEPLOY", "cicd", human_only=True),
        ),
        edges=_edges(
            ("DEV", "QA", _CODE),
            ("QA", "SEC", _REPORT),
            ("SEC", "DOCS", _REPORT),
            ("DOCS", "COMPLETE", _REPORT),
            ("COMPLETE", "DEPLOY", _REPORT),
        ),
        failure_target="DEV",
    ),
    "gsd": _SESSION,
    "notes": _SESSION,
}
"""The pipelines of the formats."""
