from __future__ import annotations

from handoff_tui.checks.context import Answers, Context
from handoff_tui.checks.facts.pipelines import find_phase, list_commands, list_pipelines
from handoff_tui.config.settings.pipeline import DEFAULT_PIPELINES, Agent, PhaseSettings, PipelineSettings
from handoff_tui.config.settings.root import Settings
from handoff_tui.handoffs.pipelines import find_own_pipelines, names_roles
from tests.support.procedures import procedure_world


def test_own_pipelines_are_the_dialects_and_the_users() -> None:
    """Those of other dialects say nothing about a handoff."""
    own = PipelineSettings(phases=(PhaseSettings(name="Firing"),))
    world = procedure_world(settings=Settings(pipelines={**DEFAULT_PIPELINES, "pottery": own}))
    pipelines = list_pipelines(Context(Answers(world)))
    (handoff,) = world.handoffs()
    found = find_own_pipelines(pipelines, handoff)
    assert [pipeline.name for pipeline in found] == ["procedure", "pottery"]
    assert [names_roles(pipeline) for pipeline in found] == [True, False]
    assert find_phase(found[1], "firing") is not None
    assert find_phase(found[1], None) is None


def test_commands_are_found_by_the_name_of_the_agent_in_any_case() -> None:
    """Names in documents are not always written as in the configuration."""
    world = procedure_world(settings=Settings(agents={"Glazier": Agent(command=("dip", "-n"))}))
    assert list_commands(Context(Answers(world))) == {"glazier": ("dip", "-n")}
