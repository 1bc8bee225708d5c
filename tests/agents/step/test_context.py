from __future__ import annotations

from handoff_tui.agents.step.context import build_context, build_role, find_open_tasks
from handoff_tui.agents.step.report import StepContext
from handoff_tui.agents.step.step import PreparedStep, StepRequest, prepare_step
from handoff_tui.agents.step.trail import list_reports
from handoff_tui.config.pipeline import EVERYTHING, Passing
from tests.support.step_reports import build_report
from tests.support.stepping import HANDOFF, WORK, Stepping


def prepare(stepping: Stepping) -> PreparedStep:
    return prepare_step(stepping.desk(), StepRequest(HANDOFF, "build"))


def build(stepping: Stepping, prepared: PreparedStep, passed: tuple[Passing, ...]) -> StepContext:
    reports = list_reports(stepping.desk(), HANDOFF)
    return build_context(prepared.examined, prepared.key, prepared.route, prepared.found, passed, reports, None)


def test_context_holds_what_was_measured(stepping: Stepping) -> None:
    """Where the work is, what is compared with, how the checks stand."""
    context = prepare(stepping).context
    assert (context.commit, context.branch) == (stepping.builder.head(), "main")
    assert context.baseline.checks_total > 0
    assert [document.path for document in context.handoff.documents] == ["HANDOFF.md"]
    assert context.previous is None


def test_edge_decides_what_of_the_work_before_is_passed(stepping: Stepping) -> None:
    """Files, commits and the end of the output of the run before; or none of them."""
    stepping.teach(f"{WORK}; echo the last line").step()
    prepared = prepare(stepping)
    everything = build(stepping, prepared, EVERYTHING)
    assert everything.previous is not None
    assert everything.previous.output[-1] == "the last line"
    assert [file.path for file in everything.previous.files] == ["src/app.py"]
    nothing = build(stepping, prepared, ())
    assert nothing.previous is not None
    assert (nothing.previous.output, nothing.previous.files, nothing.handoff.documents) == ((), (), ())


def test_role_comes_from_the_agent_or_the_hub(stepping: Stepping) -> None:
    """Standards of supervising roles hold for all."""
    more = '[hub.roles.maker]\ntitle = "Maker"\nstage = "DEV"\nprompt = "Make it."\n'
    prepared = prepare(stepping.configure(more))
    assert (prepared.context.role.title, prepared.context.role.prompt) == ("Maker", "Make it.")
    assert "Tests are written first." in prepared.context.role.standards
    own = prepared.found._replace(agent=prepared.found.agent.model_copy(update={"role": "Mine."}))
    assert build_role(prepared.desk, own).prompt == "Mine."


def test_tasks_are_those_of_the_last_run() -> None:
    """None where there was none."""
    assert find_open_tasks(None) == ()
    assert [task.title for task in find_open_tasks(build_report())] == ["mend it"]
