from __future__ import annotations

from dataclasses import replace

import pytest

from handoff_tui.agents.step.prepare import PreparedStep, StepRequest, choose_handoff, prepare_step
from handoff_tui.agents.step.report import Direction, Route
from handoff_tui.config.pipeline import Edge
from handoff_tui.core.errors import AgentRunError, HandoffNotFoundError, UsageError
from tests.support.stepping import HANDOFF, WORK, Stepping


def prepare(stepping: Stepping) -> PreparedStep:
    return prepare_step(stepping.desk(), StepRequest(HANDOFF, "build"))


@pytest.mark.short
def test_preparing_measures_everything_and_writes_nothing(stepping: Stepping) -> None:
    """The key, the route and the context are known; there is no folder and no lock."""
    prepared = prepare(stepping)
    assert (prepared.key.attempt, prepared.key.number, prepared.route.direction) == (1, 1, Direction.AGAIN)
    context = prepared.context
    assert (context.commit, context.branch, context.previous) == (stepping.builder.head(), "main", None)
    assert context.baseline.checks_total > 0
    assert [document.path for document in context.handoff.documents] == ["HANDOFF.md"]
    assert not (stepping.root / ".git" / "handoff-tui").exists()


def test_edge_says_what_of_the_work_before_is_passed_on(stepping: Stepping) -> None:
    """Files, commits and the end of the output of the run before; or none of them."""
    stepping.teach(f"{WORK}; echo the last line").step()
    prepared = prepare(stepping)
    previous = prepared.context.previous
    assert previous is not None
    assert (previous.output[-1], [file.path for file in previous.files]) == ("the last line", ["src/app.py"])
    pipeline = prepared.pipeline.model_copy(update={"edges": (Edge(source="build", target="test", passes=()),)})
    route = Route(pipeline="notes", source="build", phase="test", direction=Direction.FORWARD)
    context = replace(prepared, pipeline=pipeline, route=route).context
    assert context.previous is not None
    assert (context.previous.output, context.previous.files, context.handoff.documents) == ((), (), ())


def test_role_comes_from_the_agent_or_the_hub(stepping: Stepping) -> None:
    """Standards of supervising roles hold for all."""
    more = '[hub.roles.maker]\ntitle = "Maker"\nstage = "DEV"\nprompt = "Make it."\n'
    prepared = prepare(stepping.configure(more))
    role = prepared.context.role
    assert (role.title, role.prompt) == ("Maker", "Make it.")
    assert "Tests are written first." in role.standards
    own = prepared.agent._replace(settings=prepared.agent.settings.model_copy(update={"role": "Mine."}))
    assert replace(prepared, agent=own).context.role.prompt == "Mine."


def test_earlier_phase_can_be_wanted_again(stepping: Stepping) -> None:
    """By its name, or as the one before; nothing comes before the first."""
    stepping.configure(gate=False).teach(WORK, "tester").step()
    stepping.step("test")
    prepared = prepare_step(stepping.desk(), StepRequest(HANDOFF, back=True))
    assert (prepared.phase.name, prepared.route.direction) == ("build", Direction.BACK)
    with pytest.raises(AgentRunError, match="first phase"):
        prepare_step(stepping.desk(), StepRequest(HANDOFF, "build", back=True))


def test_handoff_need_not_be_named_if_there_is_one(stepping: Stepping) -> None:
    """With more, it must be."""
    assert choose_handoff(stepping.desk(), None) == HANDOFF
    stepping.builder.write("docs/handoffs/other.md", "# Handoff: other\n\nStatus: COMPLETE\n").commit()
    with pytest.raises(UsageError, match="there are 2 handoffs here"):
        choose_handoff(stepping.desk(), None)
    with pytest.raises(HandoffNotFoundError):
        choose_handoff(stepping.desk(), "gone")
