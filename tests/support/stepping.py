"""A repository with one handoff, and agents that are shell scripts: what a step starts is real."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from handoff_tui.agents.step.prepare import StepRequest
from handoff_tui.agents.step.report import StepReport
from handoff_tui.agents.step.step import StepCallbacks, step
from handoff_tui.handoffs.session import Session, open_session
from tests.support.repositories import NOTE_ON_ADDING, RepositoryBuilder

HANDOFF = "notes/HANDOFF.md"
COMMIT = "git add --all && git -c user.name=maker -c user.email=maker@example.org commit --quiet --message work"
WORK = f"echo working; echo more >> src/app.py; {COMMIT}"
"""What a diligent agent does."""


@dataclass
class Stepping:
    """One handoff of the format `notes`, with the phases build, test and release."""

    builder: RepositoryBuilder
    home: Path

    def __post_init__(self) -> None:
        self.builder.write("src/app.py", "def add(a, b):\n    return a + b\n").write("HANDOFF.md", NOTE_ON_ADDING)
        self.builder.commit("the work")
        self.configure()

    @property
    def root(self) -> Path:
        return self.builder.folder

    @property
    def config(self) -> Path:
        return self.home / "config" / "handoff-tui" / "config.toml"

    def configure(self, more: str = "", *, gate: bool = True, budget: int = 3, **agent: object) -> Stepping:
        """The user's own file: the maker works in build, the tester in test, and only people release."""
        settings = {"timeout_seconds": 20, "grace_seconds": 0.3, **agent}
        lines = "".join(f"{name} = {json.dumps(value)}\n" for name, value in settings.items())
        text = "".join(
            f'[agents.{name}]\ncommand = ["sh", "{self.script(name)}", "{{prompt_file}}"]\n{lines}'
            for name in ("maker", "tester")
        )
        text += f'[pipelines.notes]\nfailure_target = "build"\nretry_budget = {budget}\n'
        for name, agent_name in (("build", "maker"), ("test", "tester"), ("release", "maker")):
            only = "human_only = true\n" if name == "release" else ""
            guarded = f"gate = {json.dumps(gate)}\n"
            text += f'[[pipelines.notes.phases]]\nname = "{name}"\nagent = "{agent_name}"\n{guarded}{only}'
        self.config.parent.mkdir(parents=True, exist_ok=True)
        self.config.write_text(text + more, encoding="utf-8")
        return self

    def script(self, name: str = "maker") -> Path:
        return self.home / f"{name}.sh"

    def teach(self, text: str = WORK, name: str = "maker") -> Stepping:
        """What an agent does when it is started."""
        self.script(name).write_text(text + "\n", encoding="utf-8")
        return self

    def desk(self) -> Session:
        return open_session(self.root)

    def step(
        self,
        phase: str | None = "build",
        callbacks: StepCallbacks | None = None,
        *,
        loop: bool = False,
        back: bool = False,
        beyond_budget: bool = False,
    ) -> StepReport:
        wanted = StepRequest(HANDOFF, phase, back=back, beyond_budget=beyond_budget)
        return step(self.desk(), wanted, callbacks or StepCallbacks(), loop=loop)
