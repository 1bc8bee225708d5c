"""A repository in which scripted agents walk a pipeline from its first phase on, and a person decides at each gate."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from handoff_tui.agents.step.prepare import StepRequest, prepare_step
from handoff_tui.agents.step.report import StepOutcome, StepReport
from handoff_tui.agents.step.step import StepCallbacks, step
from handoff_tui.core.errors import AgentRunError, NoHumanError
from handoff_tui.handoffs.session import open_session
from tests.support.command_line import Said
from tests.support.gates import GateDesk
from tests.support.signed import Person

COMMIT = "git add --all && git -c user.name=agent -c user.email=agent@example.org commit --quiet --message"


@dataclass
class Walk:
    """Scripts by agent, in the order in which they are started. The person `bo` starts them and decides."""

    desk: GateDesk
    patch: pytest.MonkeyPatch
    handoff: str
    scripts: dict[str, list[str]] = field(default_factory=dict)
    reports: list[StepReport] = field(default_factory=list)
    bo: Person = field(init=False)

    def __post_init__(self) -> None:
        self.bo = self.desk.person("bo")

    @property
    def root(self) -> Path:
        return self.desk.root

    @property
    def home(self) -> Path:
        return self.bo.home

    def begin(self, system: str, *, name: str = "", more: str = "") -> None:
        """A log, the configured agents, and the handoff as `new` begins it."""
        self.desk.begin(self.bo)
        config = self.home / "config" / "handoff-tui" / "config.toml"
        config.parent.mkdir(parents=True, exist_ok=True)
        agents = "".join(
            f'[agents.{name}]\ncommand = ["sh", "{self.home}/{name}.sh", "{{prompt_file}}"]\ntimeout_seconds = 20\n'
            for name in self.scripts
        )
        config.write_text(agents + more, encoding="utf-8")
        said = self.say("new", system, name or self.handoff, "--title", "Rate limiter")
        assert said.code == 0, said.stderr
        self.desk.builder.commit("begin")

    def say(self, verb: str, *words: str | Path) -> Said:
        return self.desk.speaking(self.bo, verb, *words, "--repo", self.root)

    def write_scripts(self) -> None:
        """Each agent does the next of its scripts from now on."""
        for name, scripts in self.scripts.items():
            (self.home / f"{name}.sh").write_text(scripts[0] + "\n" if scripts else "exit 9\n", encoding="utf-8")

    def step(self, phase: str | None = None, *, confirm: bool = False) -> StepReport:
        """Starts the agent whose turn it is; each agent follows the next of its scripts."""
        self.bo.become(self.patch)
        self.write_scripts()
        callbacks = StepCallbacks(confirm=lambda _: confirm)
        report = step(open_session(self.root), StepRequest(self.handoff, phase), callbacks)
        if report.agent in self.scripts:
            self.scripts[report.agent].pop(0)
        self.reports.append(report)
        if report.outcome is StepOutcome.READY and report.has_gate:
            assert self.find_mover() == "reviewer"
        return report

    def advance(self, phase: str) -> bool:
        """The next agent works, in this phase, and a person approves."""
        report = self.step()
        assert (report.key.phase, report.outcome) == (phase, StepOutcome.READY), report.why
        self.decide("approve")
        return True

    def walk(self, *, confirm: bool = False) -> list[str]:
        """Steps and approves until a person must start the next phase, or all is done; the phases in order."""
        phases: list[str] = []
        while not self.is_done():
            try:
                report = self.step(confirm=confirm)
            except NoHumanError:
                break
            phases.append(report.key.phase + ("" if report.outcome is StepOutcome.READY else " failed"))
            if report.outcome is StepOutcome.READY and report.has_gate:
                self.decide("approve")
        return phases

    def is_done(self) -> bool:
        """Whether nothing is left to start."""
        self.bo.become(self.patch)
        try:
            prepare_step(open_session(self.root), StepRequest(self.handoff))
        except AgentRunError as refused:
            if "is done" not in refused.message:
                raise
            return True
        return False

    def decide(self, verb: str, phase: str | None = None) -> Said:
        """By the digest that `gate` shows, at a phase; without one, where the work is."""
        at = () if phase is None else ("--phase", phase)
        digest = str(self.say("gate", self.handoff, "--json", *at).json["subject"]["digest"])
        words = ("--subject", digest, "--reason", "seen", "--json", *at)
        said = self.say("decide", verb, self.handoff, *words)
        assert said.code == 0, said.stdout + said.stderr
        return said

    def find_mover(self) -> str:
        """Who must act next, as `status` says."""
        handoffs = self.say("status", "--json").json["handoffs"]
        return str(next(one["gate"]["next_move"]["who"] for one in handoffs if one["id"] == self.handoff))

    def phase(self) -> str:
        """Where the work is, as the gate names it."""
        return str(self.say("gate", self.handoff, "--json").json["phase"])


def write(path: str, value: object) -> str:
    """The shell command that writes a file."""
    text = value if isinstance(value, str) else json.dumps(value)
    return f"mkdir -p $(dirname {path}); cat > {path} <<'END'\n{text}\nEND\n"


def commit(message: str) -> str:
    return f'{COMMIT} "{message}"\n'
