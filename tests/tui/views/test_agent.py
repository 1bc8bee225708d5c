"""Runs as rows, and what can be done about one."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from handoff_tui.agents.runs.run import RunStatus
from handoff_tui.agents.step.report import RunView, StepOutcome
from handoff_tui.changes.comparison.snapshot_diff import DiffScope
from handoff_tui.config.theme import load_theme
from handoff_tui.core.text.page_layout import lay_out
from handoff_tui.live.state.agents import AgentsView, Breakpoint, ScheduledRun
from handoff_tui.tui.drawing.theming import Ink
from handoff_tui.tui.views.agent.rows import (
    AgentRows,
    build_output_line,
    build_run_name,
    build_run_page,
    describe_output,
    describe_run,
    label_run_view,
)
from handoff_tui.tui.views.agent.view import (
    RunInView,
    find_compared_scope,
    find_run_scope,
    list_agent_hints,
    refuse_agent_action,
)
from tests.support.view_states import COMMANDS, HANDOFF, look_at, make_lock, make_run, make_window


def read(row: tuple[object, ...]) -> str:
    return "".join(getattr(cell, "text", "") for cell in row)


def test_rows_are_newest_first_and_tell_what_was_measured() -> None:
    """State, phase, try, time, exit code, files, commits; what is not known yet is a dash."""
    rows = AgentRows(
        AgentsView((look_at(make_run(1), StepOutcome.FAILED, "two checks fail"), make_run(2, RunStatus.RUNNING)))
    )
    running, failed = (read(rows.build_row(index, 100)).split() for index in (0, 1))
    assert running == ["»", "running", "build", "1.2", "01:01", "-", "-", "-", "the", "last", "word"]
    assert failed == ["✗", "failed", "build", "1.1", "01:01", "0", "1", "1", "two", "checks", "fail"]
    assert read(rows.build_heading(100)).split()[:3] == ["STATE", "PHASE", "RUN"]


def test_row_is_found_by_a_name_that_stays() -> None:
    """Also the one before it; the oldest has none."""
    one, other = make_run(1), make_run(2)
    rows = AgentRows(AgentsView((one, other)))
    name = build_run_name(other.state.key)
    assert rows.find(name) == other
    assert rows.find_earlier(name) == one
    assert rows.find_earlier(build_run_name(one.state.key)) is None
    assert rows.find("no such") is None


@pytest.mark.parametrize(
    ("status", "looking", "word"),
    [
        (RunStatus.RUNNING, False, "running"),
        (RunStatus.PAUSED, False, "paused"),
        (RunStatus.LOST, False, "lost"),
        (RunStatus.FINISHED, False, "not reviewed"),
        (RunStatus.FINISHED, True, "checks running"),
    ],
)
def test_label_says_how_far_a_try_is(status: RunStatus, looking: bool, word: str) -> None:  # noqa: FBT001 - a case
    """In a word, with a role that every theme has."""
    label = label_run_view(make_run(1, status), reviewing=looking)
    assert label.word == word
    assert Ink(load_theme("dark", None)).get(label.role) is not None


def test_hostile_words_of_an_agent_are_shown_as_text() -> None:
    """Its last line and its output cannot colour, move or write anything."""
    run = make_run(1, RunStatus.RUNNING).model_copy(update={"last_line": "\x1b[31mred\x9b"})
    row = read(AgentRows(AgentsView((run,))).build_row(0, 120))
    assert "\x1b" not in row
    assert "␛[31mred" in row
    assert build_output_line("\x1b]52;c;x\x07end", 0) == "␛]52;c;x␇end"
    assert build_output_line("abcdef", 4) == "ef"
    assert len(build_output_line("x" * 100_000, 0)) <= 4_000


def test_page_of_a_try_tells_its_inputs() -> None:
    """While it runs, and when it was looked at; without any attempt, who could be started and who holds a lock."""
    running = make_run(1, RunStatus.RUNNING)
    view = AgentsView((running,), (make_lock(stale=True),), COMMANDS)
    for run, words in (
        (running, ("running", "known when it ends", "What the agent was given", "ada")),
        (
            look_at(make_run(1), StepOutcome.READY),
            ("ready", "src/app.py", "What the agent was given", "decide on the work"),
        ),
        (None, ("sh maker.sh {prompt_file}", "stale")),
    ):
        text = "\n".join(read(row) for row in lay_out(build_run_page(run, view), 100))
        assert all(word in text for word in words), text
    assert build_run_page(None, None).parts == []


def test_output_is_described_by_its_length() -> None:
    """And whether it follows, or counts still."""
    run = make_run()
    window = make_window(run, ("a", "b"))
    assert describe_output(window, following=True) == "follow ● · 2 lines · 20 bytes"
    assert describe_output(window._replace(size=100_000_008), following=False) == "2 lines · 100 MB"
    assert describe_output(window._replace(complete=False), following=False) == "2 lines · 20 bytes, counting"
    assert describe_output(window, following=True, brief=True) == "follow ● · 2 lines"
    assert describe_output(None, following=True) == ""


def test_agenda_is_told_before_the_rest() -> None:
    """What starts by itself and when, what holds it up; on every page of the handoff."""
    at = datetime(2026, 3, 5, 10, 0, 7, tzinfo=UTC)
    coming = ScheduledRun("/desk", "H-1", "build", at, "it crashed; retry 1 of 2")
    view = AgentsView((), agents=COMMANDS, scheduled=coming, breakpoints=frozenset({Breakpoint("test", before=True)}))
    clock = at.astimezone().strftime("%H:%M:%S")
    for run in (None, make_run(1, RunStatus.RUNNING), look_at(make_run(1))):
        lines = [read(row) for row in lay_out(build_run_page(run, view), 100)]
        assert lines[0] == f"» build starts automatically at {clock}: it crashed; retry 1 of 2"
        assert lines[1:3] == ["‖ breakpoints: nothing starts automatically before test", ""]
    looping = AgentsView((), agents=COMMANDS, loops=True)
    assert "agents follow one another" in read(lay_out(build_run_page(None, looping), 100)[0])


@pytest.mark.parametrize(
    ("run", "view", "words"),
    [
        (None, None, ""),
        (None, AgentsView((), agents=COMMANDS), " No agent started · 1 phase with an agent"),
        (make_run(2), AgentsView(()), " ◆ not reviewed · build 1.2 · maker · 01:01 · p reviews its work"),
        (
            make_run(2),
            AgentsView((), (make_lock(stale=True),)),
            " ◆ not reviewed · build 1.2 · maker · 01:01 · lock of build left behind: :unlock · p reviews its work",
        ),
        (
            look_at(make_run(2), StepOutcome.FAILED, "it exited with 1", "and more"),
            AgentsView((), (make_lock(stale=True),)),
            " ✗ failed · build 1.2 · maker · 01:01 · lock of build left behind: :unlock · it exited with 1",
        ),
        (
            None,
            AgentsView((), (make_lock(stale=False),)),
            " No agent started · 0 phases with an agent · build is held by ada for H-1",
        ),
        (
            None,
            AgentsView((make_run(1, RunStatus.RUNNING),), (make_lock(stale=False),)),
            " No agent started · 0 phases with an agent",
        ),
    ],
)
def test_status_says_who_is_at_work_and_who_holds_a_phase(
    run: RunView | None, view: AgentsView | None, words: str
) -> None:
    """The lock of the agent in the list isn't news."""
    assert read(describe_run(run, view, unseen=run is not None and run.report is None)) == words


VIEW = AgentsView((), agents=COMMANDS)
COMING = ScheduledRun("/desk", HANDOFF, "build", datetime(2026, 3, 5, tzinfo=UTC), "it crashed")
RUNNING, PAUSED, ENDED = make_run(1, RunStatus.RUNNING), make_run(1, RunStatus.PAUSED), make_run(1)
LOOKED_AT = look_at(make_run(2), StepOutcome.READY, commits=("d" * 40,))


@pytest.mark.parametrize(
    ("action", "here", "reason"),
    [
        ("agent.start", RunInView(VIEW), ""),
        (
            "agent.loop",
            RunInView(AgentsView(())),
            "no phase here has an agent; [agents] in handoff-tui.toml can name one",
        ),
        ("agent.start", RunInView(), ""),
        ("app.follow", RunInView(VIEW), "no agent started yet"),
        ("changes.wrap", RunInView(VIEW, RUNNING), ""),
        ("agent.pause", RunInView(VIEW, PAUSED), ""),
        ("agent.pause", RunInView(VIEW, ENDED), ""),
        ("agent.pause", RunInView(VIEW._replace(reviewing=frozenset({ENDED.state.key})), ENDED), "it isn't running"),
        ("agent.pause", RunInView(VIEW, LOOKED_AT), "it isn't running"),
        ("agent.pause", RunInView(VIEW, RUNNING), ""),
        ("agent.stop", RunInView(VIEW, PAUSED), ""),
        ("agent.stop", RunInView(VIEW, ENDED), "it isn't running"),
        ("agent.stop", RunInView(VIEW._replace(scheduled=COMING), ENDED), ""),
        ("agent.stop", RunInView(VIEW._replace(loops=True), ENDED), ""),
        ("agent.unlock", RunInView(VIEW), "nothing is locked"),
        ("agent.unlock", RunInView(VIEW._replace(locks=(make_lock(stale=True),))), ""),
        ("agent.changes", RunInView(VIEW, RUNNING), "its files aren't known yet"),
        ("review.compare", RunInView(VIEW, LOOKED_AT), "no two runs with commits to compare"),
        ("agent.breakpoint", RunInView(VIEW), ""),
        (
            "agent.breakpoint",
            RunInView(AgentsView(())),
            "no phase here has an agent; [agents] in handoff-tui.toml can name one",
        ),
        ("nav.next-section", RunInView(VIEW), "no agent started yet"),
        ("agent.rollback", RunInView(), ""),
    ],
)
def test_refusal_says_why(action: str, here: RunInView, reason: str) -> None:
    """Empty if it can be done."""
    assert refuse_agent_action(action, here) == reason


@pytest.mark.parametrize(
    ("here", "first"),
    [
        (RunInView(VIEW), "agent.start"),
        (RunInView(VIEW, RUNNING), "agent.pause"),
        (RunInView(VIEW, PAUSED), "agent.pause"),
        (RunInView(VIEW, ENDED), "agent.pause"),
        (RunInView(VIEW, LOOKED_AT), "agent.start"),
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
    assert refuse_agent_action("app.edit", RunInView(VIEW)) == "no file mentioned here"
    assert refuse_agent_action("app.edit", RunInView(VIEW), places=1) == ""


def test_diff_of_a_try_ends_at_its_commit() -> None:
    """At the work as it is now, where it made none."""
    assert find_run_scope(RunInView(VIEW, LOOKED_AT)) == (DiffScope.BETWEEN, "b" * 40, "d" * 40)
    bare = look_at(make_run(2), StepOutcome.FAILED, commits=())
    assert find_run_scope(RunInView(VIEW, bare)) == (DiffScope.BETWEEN, "b" * 40, None)
    assert find_run_scope(RunInView(VIEW)) is None


def test_tries_are_compared_by_their_last_commits() -> None:
    """Two that ended at the same one have nothing to compare."""
    earlier = look_at(make_run(1), StepOutcome.FAILED)
    assert find_compared_scope(RunInView(VIEW, LOOKED_AT, earlier)) == (DiffScope.BETWEEN, "c" * 40, "d" * 40)
    assert find_compared_scope(RunInView(VIEW, LOOKED_AT, LOOKED_AT)) is None
