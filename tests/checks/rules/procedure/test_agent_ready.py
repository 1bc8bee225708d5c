from __future__ import annotations

import pytest

from handoff_tui.checks.rule import NotApplicableError, Rule
from handoff_tui.checks.rules.procedure.agent_ready import AGENT_READY
from handoff_tui.config.settings.pipeline import Agent, PhaseSettings, PipelineSettings
from handoff_tui.config.settings.procedures import Procedure, Procedures, ProcedureStep
from handoff_tui.config.settings.root import Settings
from tests.support.cycles import cycle_world, note
from tests.support.procedures import procedure_world
from tests.support.world import MemoryWorld, find_subjects, judge


def agents(command: str) -> Settings:
    return Settings(agents={"glazier": Agent(command=(command, "--now"))})


def test_agent_ready_finds_the_program() -> None:
    """On the search path by its name."""
    world = procedure_world(settings=agents("dip"))
    world.programs = {"dip": "/usr/bin/dip"}
    assert judge(AGENT_READY, world) == []


def test_agent_ready_names_a_program_that_is_missing() -> None:
    """With what to look for."""
    (found,) = judge(AGENT_READY, procedure_world(settings=agents("dip")))
    assert (found.subject, found.command) == ("kiln-3 agent glazier", "command -v -- dip")
    assert found.message.startswith("VR004: ")


@pytest.mark.parametrize("command", ["{repository}/tools/dip.sh", "tools/dip.sh", "./tools/dip.sh"])
def test_agent_ready_looks_for_a_script_in_the_repository(command: str) -> None:
    """There it must be executable."""
    world = procedure_world(settings=agents(command), files={"tools/dip.sh": "true"})
    assert len(judge(AGENT_READY, world)) == 1
    world.executables = frozenset({"tools/dip.sh"})
    assert judge(AGENT_READY, world) == []


def test_agent_ready_takes_the_command_of_the_phase() -> None:
    """The pipeline may name a command of its own for its agent."""
    phases = (PhaseSettings(name="firing"), PhaseSettings(name="glazing", agent="glazier", command=("brush",)))
    settings = Settings(pipelines={"procedure": PipelineSettings(phases=phases)})
    (found,) = judge(AGENT_READY, procedure_world(settings=settings))
    assert found.expected == "brush on the search path"


def test_agent_ready_fails_when_a_pipeline_requires_the_agent() -> None:
    """Named by the handoff and by the configuration, but without a command."""
    phases = (PhaseSettings(name="firing"), PhaseSettings(name="glazing", agent="Glazier"))
    settings = Settings(pipelines={"procedure": PipelineSettings(phases=phases)})
    (found,) = judge(AGENT_READY, procedure_world(settings=settings))
    assert (found.actual, found.expected) == ("none", "a command in [agents.glazier]")


def test_agent_ready_asks_nothing_of_shipped_pipelines_without_agents() -> None:
    """The TDD pipeline names agents; who starts them by hand configures none."""
    world = cycle_world([note("RED", nextAgent="implement")])
    with pytest.raises(NotApplicableError):
        judge(AGENT_READY, world)
    world.overrides["agents"] = {"test": Agent(command=("pytest",))}
    assert find_subjects(AGENT_READY, world) == ["TDD-1 agent implement"]


def test_agent_ready_asks_for_the_agents_of_the_procedure() -> None:
    """A configured procedure that requires agents needs each of them."""
    steps = (ProcedureStep(name="wait", timeout_seconds=1),)
    required = {"AGENT_HANDOFF_STANDARD": Procedure(steps=steps, required_agents=("potter",))}
    world = procedure_world(settings=Settings(procedures=Procedures(procedures=required)))
    assert find_subjects(AGENT_READY, world) == ["kiln-3 agent potter"]


def test_agent_ready_starts_no_phase_that_is_for_people() -> None:
    """A phase that only a person may start needs no command."""
    phases = (PhaseSettings(name="firing"), PhaseSettings(name="glazing", agent="glazier", human_only=True))
    settings = Settings(pipelines={"procedure": PipelineSettings(phases=phases)})
    with pytest.raises(NotApplicableError):
        judge(AGENT_READY, procedure_world(settings=settings))


@pytest.mark.parametrize(("answers", "number"), [(True, 0), (None, 0), (False, 1)])
def test_agent_ready_asks_whether_the_program_answers(answers: bool | None, number: int) -> None:  # noqa: FBT001
    """One that hangs is not ready; one that may not be asked is taken as found."""
    world = procedure_world(settings=agents("dip"))
    world.programs, world.answering = {"dip": "/usr/bin/dip"}, {"dip": answers}
    assert len(judge(AGENT_READY, world)) == number


@pytest.mark.parametrize(
    ("rule", "world", "reason"),
    [
        (AGENT_READY, procedure_world(), "glazier"),
        (AGENT_READY, MemoryWorld(), "no handoff names who takes over"),
    ],
)
def test_rule_is_skipped_where_it_has_nothing_to_judge(rule: Rule, world: MemoryWorld, reason: str) -> None:
    """It neither passes nor fails."""
    with pytest.raises(NotApplicableError, match=reason):
        judge(rule, world)
