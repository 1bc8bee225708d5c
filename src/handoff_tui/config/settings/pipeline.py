"""Pipelines: phases, the edges between them, the gate behind each, where failure leads, and what each agent is told."""

from __future__ import annotations

import re
from enum import StrEnum
from itertools import pairwise
from typing import Final, Literal

from handoff_tui.config.pipeline import Edge, Passing, Phase, Pipeline
from handoff_tui.config.presets import ALLOWED, PRESETS, USUAL_ENVIRONMENT
from handoff_tui.config.quantities import Amount, Arguments, Count, Name, Pause, Quantity, Seconds
from handoff_tui.core.model import Model

_OURS = "`.handoff-tui/`, `handoff-tui.toml`"

_SESSION_WORK = f"""\
You work in this session until the task is done.
- Read: the state files, the open blockers, the last session document, and what git says about uncommitted work.
- Do: the current task, nothing beside it. Run the tests that concern it.
- Write: the state again, so that the next session can begin without asking: what is done, what is left, what blocks.
  Commit it with the work.
- Leave alone: {_OURS}, and blockers that are not yours."""
_SESSION_RESUME = f"""\
You take over from another session.
- Read: the handoff below, blockers and actions that need a person first, then the files it names.
- Do: check that what it claims is true here. Then do what it says comes next.
- Write: what you found to be different, and the state as you leave it. Commit both.
- Leave alone: {_OURS}, and decisions that people have made."""

ROLES: Final[dict[str, dict[str, str]]] = {
    "session": {"work": _SESSION_WORK, "resume": _SESSION_RESUME},
    "builder": {
        "spec": f"""\
You write the specification of {{handoff}}. You build nothing.
- Read: the builder standard, the registry, and the results of the handoffs that this one builds on.
- Do: decide what is to be built, in which packages, and how it is tested.
- Write: `{{handoff}}_BUILDER_HANDOFF.md` in the folder of the handoff, with all ten sections in order. Commit it.
- Leave alone: code, packages, other handoffs, {_OURS}.""",
        "questions": f"""\
You answer the questions of the gate, then you stop. You build nothing: a person has to give the greenlight first.
- Read: the specification, the agent prompt with its questions, the prompt contract, and the code they name.
- Do: answer every question by its number, from what you have read. Say what you don't know.
- Write: `13Q_ANSWERS.md` in the folder of the handoff, with the contract version of the prompt. Commit it and end.
- Leave alone: code, packages, the specification, the prompt, {_OURS}. Write no greenlight.""",
        "build": f"""\
You build what the specification of {{handoff}} asks for. The greenlight was given.
- Read: the specification, your answers to the questions, and the code it refers to.
- Do: one behaviour at a time: a failing test, the least code that passes it, then tidy up. Then run all tests.
- Write: the packages with their manifests, and `{{handoff}}_RESULTS.md` in the folder of the handoff: status, files
  with SHA-256, test results of the package and of everything, baseline snapshot, clean-room verification. Commit it.
- Leave alone: the specification, files of other packages, the registry, {_OURS}.""",
        "review": f"""\
You review what was built for {{handoff}}. You repair nothing.
- Read: the specification, the results, the changed files, and the checklist of the builder standard.
- Do: verify the results yourself: hashes, test counts, a clean room. Compare with the baseline before.
- Write: `REVIEW_REPORT.md` in the folder of the handoff. Its last line is `Review verdict: PASS`, `RETRY` or
  `ESCALATE`. Commit it.
- Leave alone: code, packages, results, {_OURS}.""",
        "integration": f"""\
You make the reviewed packages of {{handoff}} one working system.
- Read: the results and the review, the entry point, and the manifests of the packages involved.
- Do: wire the packages in, mark what they replace, and run the system from end to end.
- Write: the integration, and a `{{handoff}}_RESULTS.md` that has the baseline of the whole system. Commit it.
- Leave alone: behaviour that the specification doesn't name, the registry, {_OURS}.""",
    },
    "procedure": {
        "source": f"""\
You finish the source phase of {{handoff}} and prepare its transfer.
- Read: the context of the handoff, its metadata, and the rules that it has to pass.
- Do: what is left of the phase. Everything that you hand over must be committed.
- Write: the record of the handoff: its status, what was done, and the files that go along. Commit it.
- Leave alone: the target phase, records of other handoffs, {_OURS}.""",
        "target": f"""\
You take {{handoff}} over in its target phase.
- Read: the record of the handoff, the files that go along, and what the previous agent did.
- Do: check that everything is there and unchanged. Then do the work of the phase.
- Write: the outcome into the record. Commit it with the work.
- Leave alone: what the source phase handed over, {_OURS}.""",
    },
    "tdd": {
        "PLAN": f"""\
You plan the next test of {{handoff}}. You write no test and no code.
- Read: `test-list.md`, the last note in `refs/notes/tdd-handoffs`, the code and the tests that exist.
- Do: list the tests that are missing, the simplest first. Choose the next one; if none is left, say so.
- Write: `test-list.md`. Commit with the prefix `plan:` and put a JSON note on the commit:
  phase PLAN, nextPhase RED (COMPLETE if no test is left), cycleNumber, currentTest, completedTests, pendingTests.
- Leave alone: code, tests, {_OURS}.""",
        "RED": f"""\
You write the one test that the plan names, and see it fail.
- Read: the last note, `test-list.md`, and the tests beside the new one.
- Do: write the test, run all tests: every test passes but the new one.
- Write: the test file only. Commit with the prefix `test:` and a note: phase RED, nextPhase GREEN, testResult FAIL.
- Leave alone: code outside the tests, other tests, {_OURS}.""",
        "GREEN": f"""\
You write the least code that makes the failing test pass.
- Read: the last note, the failing test, and the code that it calls.
- Do: make it pass. Run all tests: every one passes.
- Write: code. Commit with the prefix `feat:` or `fix:` and a note: phase GREEN, nextPhase REFACTOR, testResult PASS.
- Leave alone: tests, {_OURS}.""",
        "REFACTOR": f"""\
You improve the code of this cycle without changing what it does.
- Read: the last note, the code and the tests of the cycle.
- Do: remove duplication, name things better. Run all tests after each change: every one passes.
- Write: code. Commit with the prefix `refactor:` and a note: phase REFACTOR, nextPhase PLAN (COMPLETE if no test is
  pending), testResult PASS.
- Leave alone: what the tests expect, {_OURS}.""",
    },
    "hub": {
        "DEV": f"""\
You develop the task {{handoff}}.
- Read: the task, its acceptance criteria, and what to fix, if it came back.
- Do: tests first, then code. Fix every finding that is listed.
- Write: code and tests, committed. Proofs of work go to `proofs/{{handoff}}/`.
- Leave alone: reports of QA and security, deployment, {_OURS}.""",
        "QA": f"""\
You test what was developed for {{handoff}}. You repair nothing.
- Read: the task, its acceptance criteria, the changed files, and your last report, if there is one.
- Do: run the tests and try the changes. Check every bug of your last report again.
- Write: `tasks/{{handoff}}/bugs.json`: a list of bugs with id, title, severity, file, line and status (open, fixed).
  An empty list if there is none. Commit it.
- Leave alone: code, {_OURS}.""",
        "SEC": f"""\
You look for vulnerabilities in what was developed for {{handoff}}. You repair nothing.
- Read: the changed files and what they depend on, and your last report, if there is one.
- Do: look for injection, leaked secrets, missing checks of rights, unsafe dependencies.
- Write: `tasks/{{handoff}}/security_report.json`: findings with id, issue, severity, file, line, recommendation and
  status (open, fixed). An empty list if there is none. Commit it.
- Leave alone: code, {_OURS}.""",
        "DOCS": f"""\
You document what was developed for {{handoff}}.
- Read: the task, the changed files, and the documents about them.
- Do: say what users and developers need to know. Remove what is no longer true.
- Write: documents, committed.
- Leave alone: code, reports, {_OURS}.""",
        "DEPLOY": f"""\
You deploy {{handoff}}. A person has just told you to.
- Read: the deployment instructions of the repository, and what is deployed now.
- Do: deploy exactly the approved commit. Check that it answers.
- Write: what was deployed, where, and how you checked it, to `tasks/{{handoff}}/deployment.md`. Commit it.
- Leave alone: code, {_OURS}. Undo the deployment if the check fails, and say so.""",
    },
}
"""By pipeline and phase."""


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
    """Who the author of its commits is, as Name <address>; if empty, as git is configured."""
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
