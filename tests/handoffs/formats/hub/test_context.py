from __future__ import annotations

from handoff_tui.handoffs.formats.hub.context import read_context
from handoff_tui.handoffs.reading.format import Source


def test_context_head_is_read_from_the_content() -> None:
    """Run, project, task and time stand in the first lines."""
    text = "# Handoff Context\nGenerated: 2031-02-03 04:05:06\nRun ID: 12 | Project: The Lantern | Task: T007\n"
    context = read_context(Source.of_text("docs/context.md", text))
    assert (context.run, context.project, context.task) == ("12", "The Lantern", "T007")
    assert (context.generated, context.handoff_id, context.head_line) == ("2031-02-03 04:05:06", "T007", 3)


def test_context_without_a_task_is_the_handoff_of_its_run() -> None:
    """A context of a whole run is known by the run."""
    source = Source.of_text("WORK_CYCLE_12.md", "# WorkCycle Context\nRun ID: 12 | Project: Lantern\n")
    assert read_context(source).handoff_id == "RUN-12"
    assert source.problems() == []


def test_context_that_was_not_found_is_a_problem() -> None:
    """The name tells the task; the problem tells that there is nothing to read."""
    source = Source.of_text("WORK_CYCLE_0_T009.md", "# WorkCycle Context\nRun 0 not found.")
    context = read_context(source)
    assert (context.handoff_id, context.run) == ("T009", "0")
    assert [(problem.message, problem.line) for problem in source.problems()] == [
        ("the context is empty: Run 0 not found", 2)
    ]
    without_task = read_context(Source.of_text("WORK_CYCLE_0.md", "# WorkCycle Context\nRun 0 not found."))
    assert without_task.handoff_id == "RUN-0"


def test_context_that_contradicts_its_name_is_reported() -> None:
    """Content wins over the name, and that is said."""
    source = Source.of_text("HANDOFF_11_T001.md", "# Handoff Context\nRun ID: 12 | Project: Lantern | Task: T007\n")
    assert read_context(source).handoff_id == "T007"
    assert [problem.message for problem in source.problems()] == [
        "is named for task T001, but speaks of task T007",
        "is named for run 11, but speaks of run 12",
    ]


def test_truncated_context_falls_back_to_its_name() -> None:
    """A context without a run is reported and filed under its name."""
    source = Source.of_text("HANDOFF_12_T007.md", "# Handoff Context\nGener")
    assert read_context(source).handoff_id == "T007"
    assert [problem.message for problem in source.problems()] == ["the context has no Run ID"]
