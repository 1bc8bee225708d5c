"""What can be done about a try, and why not."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from handoff_tui.agents.runs.run import RunStatus
from handoff_tui.agents.step.report import StepOutcome
from handoff_tui.changes.comparison.snapshot_diff import DiffScope
from handoff_tui.live.state.agents import AgentsView, ScheduledRun
from handoff_tui.tui.views.agent.view import (
    RunInView,
    find_compared_scope,
    find_try_scope,
    list_agent_hints,
    refuse_agent_action,
)
from tests.support.agent_states import COMMANDS, HANDOFF, look_at, make_lock, make_run

VIEW = AgentsView((), agents=COMMANDS)
COMING = ScheduledRun("/desk", HANDOFF, "build", datetime(2026, 3, 5, tzinfo=UTC), "it crashed")
RUNNING, PAUSED, ENDED = make_run(1, RunStatus.RUNNING), make_run(1, RunStatus.PAUSED), make_run(1)
LOOKED_AT = look_at(make_run(2), StepOutcome.READY, commits=("d" * 40,))


@pytest.mark.parametrize(
    ("action", "here", "reason"),
    [
        ("agent.step", RunInView(VIEW), ""),
        ("agent.loop", RunInView(AgentsView(())), "no agent configured; docs/agents.md has examples"),
        ("agent.step", RunInView(), ""),
        ("agent.follow", RunInView(VIEW), "no agent started yet"),
        ("agent.wrap", RunInView(VIEW, RUNNING), ""),
        ("agent.continue", RunInView(VIEW, RUNNING), "it isn't paused"),
        ("agent.continue", RunInView(VIEW, PAUSED), ""),
        ("agent.continue", RunInView(VIEW, ENDED), ""),
        ("agent.continue", RunInView(VIEW._replace(reviewing=frozenset({ENDED.state.key})), ENDED), "it isn't paused"),
        ("agent.continue", RunInView(VIEW, LOOKED_AT), "it isn't paused"),
        ("agent.pause", RunInView(VIEW, PAUSED), "it isn't running"),
        ("agent.pause", RunInView(VIEW, RUNNING), ""),
        ("agent.stop", RunInView(VIEW, PAUSED), ""),
        ("agent.stop", RunInView(VIEW, ENDED), "it isn't running"),
        ("agent.stop", RunInView(VIEW._replace(scheduled=COMING), ENDED), ""),
        ("agent.stop", RunInView(VIEW._replace(loops=True), ENDED), ""),
        ("agent.unlock", RunInView(VIEW), "nothing is locked"),
        ("agent.unlock", RunInView(VIEW._replace(locks=(make_lock(stale=True),))), ""),
        ("agent.diff", RunInView(VIEW, RUNNING), "its files aren't known yet"),
        ("agent.compare", RunInView(VIEW, LOOKED_AT), "no two runs with commits to compare"),
        ("agent.breakpoint", RunInView(VIEW), ""),
        ("agent.breakpoint", RunInView(AgentsView(())), "no agent configured"),
        ("agent.next-try", RunInView(VIEW), "no agent started yet"),
        ("agent.rollback", RunInView(), ""),
    ],
)
def test_refusal_says_why(action: str, here: RunInView, reason: str) -> None:
    """Nothing where it can be done."""
    assert refuse_agent_action(action, here) == reason


@pytest.mark.parametrize(
    ("here", "first"),
    [
        (RunInView(VIEW), "agent.step"),
        (RunInView(VIEW, RUNNING), "agent.pause"),
        (RunInView(VIEW, PAUSED), "agent.continue"),
        (RunInView(VIEW, ENDED), "agent.continue"),
        (RunInView(VIEW, LOOKED_AT), "agent.step"),
        (RunInView(VIEW._replace(scheduled=COMING), LOOKED_AT), "agent.stop"),
    ],
)
def test_hint_that_is_wanted_most_comes_first(here: RunInView, first: str) -> None:
    """None of them is one that cannot be done."""
    hints = list_agent_hints(here)
    assert hints[0] == first
    assert refuse_agent_action(first, here) == ""


def test_file_is_opened_only_where_one_is_named() -> None:
    """By the lines in view, or by what was touched."""
    assert refuse_agent_action("agent.open-file", RunInView(VIEW)) == "no file mentioned here"
    assert refuse_agent_action("agent.open-file", RunInView(VIEW), places=1) == ""


def test_diff_of_a_try_ends_at_its_commit() -> None:
    """At the work as it is now, where it made none."""
    assert find_try_scope(RunInView(VIEW, LOOKED_AT)) == (DiffScope.BETWEEN, "b" * 40, "d" * 40)
    bare = look_at(make_run(2), StepOutcome.FAILED, commits=())
    assert find_try_scope(RunInView(VIEW, bare)) == (DiffScope.BETWEEN, "b" * 40, None)
    assert find_try_scope(RunInView(VIEW)) is None


def test_tries_are_compared_by_their_last_commits() -> None:
    """Two that ended at the same one have nothing to compare."""
    earlier = look_at(make_run(1), StepOutcome.FAILED)
    assert find_compared_scope(RunInView(VIEW, LOOKED_AT, earlier)) == (DiffScope.BETWEEN, "c" * 40, "d" * 40)
    assert find_compared_scope(RunInView(VIEW, LOOKED_AT, LOOKED_AT)) is None
