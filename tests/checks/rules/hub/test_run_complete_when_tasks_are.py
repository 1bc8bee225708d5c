from __future__ import annotations

import pytest

from handoff_tui.checks.rule import NotApplicableError
from handoff_tui.checks.rules.hub.run_complete_when_tasks_are import RUN_COMPLETE_WHEN_TASKS_ARE
from tests.support.world import MemoryWorld, find_subjects, judge


def run(state: str, *tasks: str) -> str:
    listed = "\n".join(f"- {task}" for task in tasks)
    return (
        f"# WorkCycle Context\nRun ID: 80 | Project: Boats\n\n## Pipeline Position\n- **Current State**: {state}\n\n"
        f"## Tasks in This Run\n{listed}\n"
    )


def task(state: str, stage: str) -> str:
    return (
        "# Handoff Context\nRun ID: 80 | Project: Boats | Task: T081\n\n"
        f"## Pipeline Position\n- **Current State**: {state}\n\n"
        f"## Current Task: T081\n**Title**: Row\n**Pipeline Stage**: {stage}\n"
    )


def subjects(files: dict[str, str]) -> list[str]:
    return find_subjects(RUN_COMPLETE_WHEN_TASKS_ARE, MemoryWorld(dict(files)))


@pytest.mark.parametrize("state", ["complete", "ready_for_commit", "merged", "ready_for_deploy", "deployed"])
def test_run_with_an_open_task_is_not_complete(state: str) -> None:
    """The stage decides: done is not COMPLETE."""
    text = run(state, "**T081**: Row [done] (stage: COMPLETE)", "**T082**: Sail [done] (stage: QA)")
    [found] = judge(RUN_COMPLETE_WHEN_TASKS_ARE, MemoryWorld({"WORK_CYCLE_80.md": text}))
    assert (found.subject, found.actual, found.expected) == ("RUN-80 task T082", "QA", "COMPLETE")
    assert found.place is not None
    assert found.place.line


def test_run_with_all_tasks_complete_passes() -> None:
    """By stage, or by status where no stage is given."""
    text = run("merged", "**T081**: Row [done] (stage: COMPLETE)", "**T082**: Sail [done]")
    assert subjects({"WORK_CYCLE_80.md": text}) == []


def test_run_of_unknown_task_state_is_not_complete() -> None:
    """What is not said to be complete is not."""
    assert subjects({"WORK_CYCLE_80.md": run("merged", "**T082**: Sail")}) == ["RUN-80 task T082"]


def test_task_that_the_context_is_about_counts() -> None:
    """Its own stage must be the last one."""
    assert subjects({"HANDOFF_80_T081.md": task("ready_for_commit", "SEC")}) == ["T081 task T081"]


def test_other_handoffs_of_the_same_run_count() -> None:
    """A task of the run that stands in a file of its own."""
    files = {
        "WORK_CYCLE_80.md": run("merged", "**T080**: Tar [done] (stage: COMPLETE)"),
        "HANDOFF_80_T081.md": task("qa", "QA"),
    }
    assert subjects(files) == ["RUN-80 task T081"]


def test_run_that_is_not_said_to_be_complete_is_not_judged() -> None:
    """It is still on its way."""
    with pytest.raises(NotApplicableError):
        subjects({"WORK_CYCLE_80.md": run("qa", "**T082**: Sail [open] (stage: QA)")})
