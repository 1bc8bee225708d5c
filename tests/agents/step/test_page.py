from __future__ import annotations

import pytest

from handoff_tui.agents.consent import ConfiguredPhase, PhaseAgent
from handoff_tui.agents.runs.run import LeftWorktree, RunEnd, RunEnding, RunStatus
from handoff_tui.agents.step.page import (
    StepOverview,
    build_following_line,
    build_locks_page,
    build_step_json,
    build_step_list_json,
    build_step_list_page,
    build_step_page,
    describe_end,
    describe_seconds,
    label_run,
    label_step,
)
from handoff_tui.agents.step.report import Budget, StepOutcome
from handoff_tui.checks.report import ConsentState
from handoff_tui.config.settings.pipeline import Agent
from tests.support.reviewed import find_section, list_lines
from tests.support.step_reports import build_lock, build_report, build_view

AGENTS = [
    ConfiguredPhase("hub", "QA", PhaseAgent("qa", Agent(command=("claude", "-p")), from_repository=False)),
    ConfiguredPhase("tdd", "RED", PhaseAgent("red", Agent(command=("sh", "x.sh")), from_repository=True)),
]


def test_page_tells_outcome_reasons_and_next_move() -> None:
    """What an agent wrote is shown, never obeyed."""
    lines = list_lines(build_step_page(build_report()))
    assert lines[0] == "✗ failed  H-1 · QA · attempt 2, run 3"
    assert "next     the work goes back to DEV; 2 of 4 tries left" in lines
    assert "agent    qa, exit code 0, 1 min 15 s" in lines
    assert find_section(build_step_page(build_report()), "Noticed") == [
        "! its output speaks of errors",
        "    HTTP 500 ␛[31m",
    ]
    assert not any("\x1b" in line for line in lines)


def test_page_for_a_person_tells_the_trail() -> None:
    """So does one that is asked for everything."""
    assert find_section(build_step_page(build_report(StepOutcome.NEEDS_HUMAN)), "Trail")
    assert not find_section(build_step_page(build_report()), "Trail")
    assert find_section(build_step_page(build_report(), everything=True), "Trail")


def test_long_lists_are_cut_unless_everything_is_wanted() -> None:
    """The rest is told by number."""
    report = build_report()
    many = report.model_copy(update={"files": report.files * 50})
    assert "  and 30 more" in list_lines(build_step_page(many))
    assert "  and 30 more" not in list_lines(build_step_page(many, everything=True))


def test_json_holds_what_scripts_are_promised() -> None:
    """Names of fields are never changed."""
    value = build_step_json(build_report())
    assert value["schema"] == "handoff-tui/step/v1"
    assert (value["outcome"], value["try"], value["gate"]) == ("failed", 3, "pending")
    assert value["budget"] == {"used": 2, "allowed": 3, "left": 2}
    assert value["next"] == {
        "phase": "DEV",
        "direction": "failed",
        "by_person": False,
        "move": "the work goes back to DEV; 2 of 4 tries left",
    }


@pytest.mark.parametrize(
    ("end", "words"),
    [
        (RunEnd(ending=RunEnding.EXITED, code=2, seconds=1.25), "exit code 2, 1.2 s"),
        (RunEnd(ending=RunEnding.SIGNALLED, signal=9, seconds=1), "ended by signal 9, 1.0 s"),
        (RunEnd(ending=RunEnding.TIMED_OUT, seconds=3600), "timed out, 60 min 00 s"),
        (RunEnd(ending=RunEnding.NOT_STARTED), "not started, 0.0 s"),
    ],
)
def test_every_end_has_its_words(end: RunEnd, words: str) -> None:
    """With the time it took."""
    assert describe_end(build_report().model_copy(update={"end": end})) == words


def test_every_state_has_a_glyph_and_a_word() -> None:
    """Meaning is never by colour alone."""
    labels = [*map(label_run, RunStatus), *map(label_step, StepOutcome)]
    assert all(label.glyph and label.word for label in labels)
    assert describe_seconds(59.94) == "59.9 s"


def test_line_of_progress_is_safe_and_short() -> None:
    """Escape sequences of the agent are shown."""
    line = build_following_line(build_view())
    assert line == "» running · 1 min 01 s · 99 bytes · still ␛[1mhere"


def test_list_tells_agents_locks_and_runs() -> None:
    """And whether somebody must agree to run them first."""
    views = (build_view(), build_view(RunStatus.FINISHED, build_report()))
    consent = ConsentState(digest="sha256:12", trusted=False)
    overview = StepOverview(views, (build_lock(), build_lock(stale=True)), AGENTS, consent)
    lines = list_lines(build_step_list_page(overview))
    assert "  handoff-tui step --trust sha256:12" in lines
    assert any(line.startswith("? stale") for line in lines)
    assert any("✗ failed | H-1 | QA | 2.3" in line for line in lines)
    value = build_step_list_json(overview)
    assert [run["outcome"] for run in value["runs"]] == [None, "failed"]  # type: ignore[attr-defined]
    assert "none configured" in list_lines(build_step_list_page(StepOverview()))[0]


def test_list_tells_what_keeps_a_work_tree_and_how_it_goes() -> None:
    """The command that takes it away stands beside it, for a shell to read as one word."""
    left = (LeftWorktree(folder="/t/a b", branch="mine", kept="uncommitted work: x"), LeftWorktree(folder="/t/c"))
    lines = list_lines(build_step_list_page(StepOverview(worktrees=left)))
    assert "    git worktree remove --force '/t/a b'" in lines
    assert "    kept: uncommitted work: x" in lines
    assert "    git worktree remove /t/c" in lines
    value = build_step_list_json(StepOverview(worktrees=left))
    assert value["worktrees"] == [one.model_dump() for one in left]


def test_locks_are_listed_with_their_holders() -> None:
    """One that was left behind is marked."""
    lines = list_lines(build_locks_page((build_lock(), build_lock(stale=True))))
    assert lines[0].startswith("» held  QA: ada@example.org on desk (process 42) for H-1, attempt 2")
    assert lines[1].startswith("? stale")
    assert list_lines(build_locks_page(())) == ["No phase is locked"]


def test_budget_is_one_run_and_its_retries() -> None:
    """Never less than nothing is left."""
    assert [Budget(used=used, allowed=1).left for used in (0, 1, 2, 3)] == [2, 1, 0, 0]
    assert [Budget(used=used, allowed=1).is_spent for used in (0, 1, 2, 3)] == [False, False, True, True]
