"""The agents of a handoff, driven as a person would."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from datetime import UTC, datetime

import pytest
from textual.events import Key
from textual.pilot import Pilot

from handoff_tui.agents.engine.listing import AtWork
from handoff_tui.agents.procedures.report import ProcedureRun, ProcedureState, RunOverview, WorkerView
from handoff_tui.agents.runs.run import RunStatus
from handoff_tui.agents.step.report import Overlap, StepOutcome
from handoff_tui.agents.step.step import list_views
from handoff_tui.changes.comparison.snapshot_diff import DiffScope
from handoff_tui.config.keymap import DEFAULT_KEYMAP
from handoff_tui.config.theme import load_theme
from handoff_tui.core.classes import replace
from handoff_tui.core.text.pictures import Picture
from handoff_tui.live.state.agents import (
    Activity,
    AgentProposal,
    Breakpoint,
    OutputFound,
    OutputRange,
    OutputSource,
    ProofShown,
    ProofsView,
    ProposalKind,
    ProposalStage,
    ScheduledRun,
)
from handoff_tui.live.state.app import AppState, Loaded, Trouble
from handoff_tui.tui.app import ReviewApp
from handoff_tui.tui.dialogs.box import PAUSE_SECONDS, Box
from handoff_tui.tui.dialogs.lists import build_dialog
from handoff_tui.tui.dialogs.proofs import ProofsScreen
from handoff_tui.tui.dialogs.proposal import ProposalScreen
from handoff_tui.tui.dialogs.runs import RunsScreen
from handoff_tui.tui.drawing.appearance import Appearance
from handoff_tui.tui.messages import (
    AppActionWanted,
    AtWorkWanted,
    BreakpointToggled,
    DecisionWanted,
    EditorWanted,
    FollowUpsCancelled,
    LeaveWanted,
    NoteWritten,
    OutputSearchWanted,
    OutputWanted,
    ProofsWanted,
    ProofWanted,
    ProposalConfirmed,
    ProposalLeft,
    ProposalWanted,
    RunPaused,
    RunReviewWanted,
    ScopeWanted,
)
from handoff_tui.tui.views.agent.output_lines import OutputLines
from tests.support.desk_app import StillApp, drive, read_screen
from tests.support.desk_states import make_state
from tests.support.screens import at_desk, compare_looks, get_app, list_asked, settle
from tests.support.stepping import Stepping
from tests.support.view_states import PLAN, PROOFS, look_at, make_agent_state, make_lock, make_run, make_window
from tests.support.waiting import LONGEST_SECONDS

RUNNING = make_run(2, RunStatus.RUNNING, elapsed=31)
FAILED = look_at(make_run(1), StepOutcome.FAILED, "blocking checks do not pass: tests")
LINES = tuple(f"line {number}" for number in range(1, 201))
WORKING = replace(make_agent_state(FAILED, RUNNING), output=make_window(RUNNING, LINES[-60:], first=140))
SHARED = Overlap(path="calc.py", runs=("H-1 · build", "H-4 · build"))
WAITING_RUN = ProcedureRun(
    id="H-2:build:1:hub:1", request=None, state=ProcedureState.WAITING, reason="0 of 1 approvals", created=0.0
)
READY = AgentProposal(4, ProposalKind.STEP, ProposalStage.READY, plan=PLAN)


@at_desk(WORKING)
async def test_agent_looks_as_committed(pilot: Pilot[None]) -> None:
    """Tries with what was measured of them, the end of the output, and where there is room what became of it."""
    await settle(pilot, "enter", "5")
    await compare_looks(pilot, "agent")


@at_desk(WORKING)
async def test_output_follows_until_somebody_scrolls_up(pilot: Pilot[None], app: StillApp) -> None:
    """Then the lines in view are asked for, and what is printed moves nothing; `f` follows again."""
    screen = await settle(pilot, "enter", "5")
    assert "line 200" in screen
    asked = list_asked(pilot, OutputWanted)
    assert (asked[-1].place.run, asked[-1].place.first) == (RUNNING.state.key, None)
    screen = await settle(pilot, "tab", "pageup")
    assert "follow ●" not in screen
    top = app.main_screen.query_one(OutputLines).top
    more = (*LINES, "line 201")
    app.give(replace(WORKING, output=make_window(RUNNING, more[-60:], first=141)))
    assert "line 201" not in await settle(pilot)
    assert app.main_screen.query_one(OutputLines).top == top
    assert "line 201" in await settle(pilot, "F")


@at_desk(WORKING)
async def test_lines_that_were_not_read_are_asked_for(pilot: Pilot[None], app: StillApp) -> None:
    """Until they come, a mark stands for them."""
    screen = await settle(pilot, "enter", "5", "tab", "g")
    assert "line 1\n" not in screen
    asked = list_asked(pilot, OutputWanted)[-1]
    assert asked.place.first == 0
    app.give(replace(WORKING, output=make_window(RUNNING, LINES[:60], total=200)))
    assert "line 1\n" in await settle(pilot)


@at_desk(WORKING)
async def test_search_is_asked_for_and_its_line_shown(pilot: Pilot[None], app: StillApp) -> None:
    """Forwards and backwards from what was found; what is not there is said."""
    await settle(pilot, "enter", "5", "slash", *"line 15", "enter")
    asked = list_asked(pilot, OutputSearchWanted)[-1]
    assert asked.text == "line 15"
    app.give(replace(WORKING, found=OutputFound(1, "line 15", 149)))
    screen = await settle(pilot)
    assert "line 150" in screen
    assert "line 200" not in screen
    await settle(pilot, "N")
    back = list_asked(pilot, OutputSearchWanted)[-1]
    assert (back.place.first, back.place.height) == (148, -1)
    app.give(replace(WORKING, found=OutputFound(2, "line 15", None)))
    assert 'No matches for "line 15"' in await settle(pilot)


def test_hostile_output_is_text() -> None:
    """Nothing that an agent prints is obeyed, in its output or in the list."""
    hostile = RUNNING.model_copy(update={"last_line": "\x1b[2J[@click=app.quit]x[/]"})
    window = make_window(hostile, ("\x1b]52;c;aGk=\x07", "[bold]not markup[/]", "\u202egnp"))

    async def script(pilot: Pilot[None]) -> None:
        screen = await settle(pilot, "enter", "5")
        assert "\x1b" not in screen
        for words in ("␛]52;c;aGk=␇", "[bold]not markup[/]", "⟨U+202E⟩gnp", "␛[2J[@click"):
            assert words in screen

    drive(StillApp(replace(make_agent_state(hostile), output=window)), script)


@at_desk(WORKING)
async def test_tries_are_gone_through_and_told_apart(pilot: Pilot[None], app: StillApp) -> None:
    """`]` and `[`; the output of the other one is asked for, and what it was told on request."""
    screen = await settle(pilot, "enter", "5", "[")
    assert "Output · build 1.1" in screen
    assert "line 200" not in screen
    asked = list_asked(pilot, OutputWanted)[-1]
    assert asked.place.run == FAILED.state.key
    assert "What the agent was told" in await settle(pilot, "ctrl+p", *"inputs or", "enter")
    asked = list_asked(pilot, OutputWanted)[-1]
    assert asked.place == OutputRange(FAILED.state.key, OutputSource.PROMPT, 0, asked.place.height)
    assert "Outcome of build 1.1" in await settle(pilot, "V")
    assert "Output · build 1.2" in await settle(pilot, "V", "]")


@at_desk(make_agent_state(FAILED))
async def test_new_try_is_shown_to_who_looks_at_the_newest(pilot: Pilot[None], app: StillApp) -> None:
    """A person who reads an older one stays there."""
    assert "Output · build 1.1" in await settle(pilot, "enter", "5")
    app.give(make_agent_state(FAILED, RUNNING))
    assert "Output · build 1.2" in await settle(pilot)
    await settle(pilot, "[")
    app.give(make_agent_state(FAILED, RUNNING, make_run(3, RunStatus.RUNNING)))
    assert "Output · build 1.1" in await settle(pilot)


@at_desk(WORKING)
async def test_no_action_of_the_view_is_dead(pilot: Pilot[None], app: StillApp) -> None:
    """Each is done by the view, or opens a list."""
    await settle(pilot, "enter", "5")
    screen = app.main_screen
    elsewhere = {"agent.diff", "agent.compare"}  # they leave the view, and have a test of their own
    actions = [action for action in DEFAULT_KEYMAP if action.startswith("agent.") and action not in elsewhere]
    dead = [
        action
        for action in actions
        if not screen.view.perform(action) and build_dialog(action, screen.state, [], screen.keys) is None
    ]
    assert actions
    assert dead == []


@at_desk(WORKING)
async def test_try_that_somebody_starts_comes_into_view(pilot: Pilot[None], app: StillApp) -> None:
    """Also for a person who has read an older one; what others start moves nothing."""
    third = make_run(3, RunStatus.RUNNING)
    assert "Output · build 1.1" in await settle(pilot, "enter", "5", "[")
    app.give(make_agent_state(FAILED, RUNNING, third))
    assert "Output · build 1.1" in await settle(pilot)
    done = replace(READY, stage=ProposalStage.DONE, plan=PLAN._replace(number=4))
    app.give(replace(make_agent_state(FAILED, RUNNING, third), proposal=done))
    await settle(pilot)
    fourth = make_run(4, RunStatus.RUNNING)
    app.give(make_agent_state(FAILED, RUNNING, third, fourth))
    assert "Output · build 1.4" in await settle(pilot)
    assert "Output · build 1.3" in await settle(pilot, "[")
    app.give(make_agent_state(FAILED, RUNNING, third, fourth, make_run(5, RunStatus.RUNNING)))
    assert "Output · build 1.3" in await settle(pilot)


@at_desk(make_agent_state(FAILED, RUNNING, locks=(make_lock(stale=True),)))
async def test_each_key_opens_its_box(pilot: Pilot[None], app: StillApp) -> None:
    """Nothing is done by it; escape leaves it."""
    kinds = {
        "s": ProposalKind.STEP,
        "L": ProposalKind.LOOP,
        "S": ProposalKind.STOP,
        "B": ProposalKind.ROLLBACK,
        "u": ProposalKind.UNDO,
    }
    await settle(pilot, "enter", "5")
    for key in kinds:
        await pilot.press(key)
        assert isinstance(app.screen, ProposalScreen)
        await pilot.press("escape")
        assert not isinstance(app.screen, ProposalScreen)
    asked = list_asked(pilot, ProposalWanted)
    assert [one.kind for one in asked] == list(kinds.values())
    assert len(list_asked(pilot, ProposalLeft)) == len(kinds)
    assert list_asked(pilot, ProposalConfirmed) == []


@pytest.mark.parametrize(("key", "kind"), [("s", ProposalScreen), ("P", ProofsScreen), ("&", RunsScreen)])
@at_desk(WORKING)
async def test_keys_behind_the_closing_one_close_nothing_else(
    pilot: Pilot[None], app: StillApp, key: str, kind: type[Box[None]]
) -> None:
    """However fast they come, the desk stays."""
    await settle(pilot, "enter", "5", key)
    assert isinstance(app.screen, kind)
    for _ in range(3):
        app.post_message(Key("escape", None))
    await settle(pilot)
    assert app.screen_stack[-1] is app.main_screen


@at_desk(WORKING)
async def test_one_box_at_a_time_whatever_is_typed_ahead(pilot: Pilot[None], app: StillApp) -> None:
    """What stands under one title is never another deed."""
    await settle(pilot, "enter", "5")
    for key in ("s", "B", "s"):
        app.post_message(Key(key, key))
    await settle(pilot)
    assert [type(one) for one in app.screen_stack].count(ProposalScreen) == 1
    app.give(replace(WORKING, proposal=replace(READY, kind=ProposalKind.ROLLBACK)))
    assert "Make it." not in await settle(pilot)
    app.give(replace(WORKING, proposal=READY))
    assert "Make it." in await settle(pilot)


@at_desk(WORKING)
async def test_nothing_is_done_by_the_usual_keys(pilot: Pilot[None], app: StillApp) -> None:
    """Enter, space and y do nothing, also when the box was there for long."""
    await settle(pilot, "enter", "5", "s")
    app.give(replace(WORKING, proposal=READY))
    await settle(pilot)
    await pilot.pause(PAUSE_SECONDS + 0.1)
    await settle(pilot, "enter", "space", "y")
    assert isinstance(app.screen, ProposalScreen)
    assert list_asked(pilot, ProposalConfirmed) == []


@at_desk(WORKING)
async def test_step_is_confirmed_by_its_own_key_when_it_was_read(pilot: Pilot[None], app: StillApp) -> None:
    """Too early it does nothing; when it is done the box closes."""
    await settle(pilot, "enter", "5", "s", "ctrl+s")
    app.give(replace(WORKING, proposal=READY))
    screen = await settle(pilot)
    for words in ("maker.sh", "{prompt_file}", "HOME, PATH", "Then say so."):
        assert words in screen
    await pilot.press("ctrl+s")
    assert list_asked(pilot, ProposalConfirmed) == []
    await pilot.pause(PAUSE_SECONDS + 0.1)
    await settle(pilot, "ctrl+s")
    confirmed = list_asked(pilot, ProposalConfirmed)
    assert [one.number for one in confirmed] == [4]
    app.give(replace(WORKING, proposal=replace(READY, stage=ProposalStage.DONE)))
    await settle(pilot)
    assert not isinstance(app.screen, ProposalScreen)


@at_desk(WORKING)
async def test_name_must_be_typed_where_it_is_asked_for(pilot: Pilot[None], app: StillApp) -> None:
    """A phase that only people start."""
    asks = replace(READY, typed="build", typed_why="build may only be started by a person")
    await settle(pilot, "enter", "5", "s")
    app.give(replace(WORKING, proposal=asks))
    await settle(pilot)
    await pilot.pause(PAUSE_SECONDS + 0.1)
    screen = await settle(pilot, "ctrl+s")
    assert "type build" in screen
    assert list_asked(pilot, ProposalConfirmed) == []
    await settle(pilot, *"build", "enter")
    assert list_asked(pilot, ProposalConfirmed) == []
    await pilot.pause(PAUSE_SECONDS + 0.1)
    await settle(pilot, "ctrl+s")
    confirmed = list_asked(pilot, ProposalConfirmed)
    assert [one.typed for one in confirmed] == ["build"]


@at_desk(WORKING)
async def test_refusal_names_its_reason(pilot: Pilot[None], app: StillApp) -> None:
    """And cannot be confirmed."""
    refused = AgentProposal(
        4, ProposalKind.STEP, ProposalStage.REFUSED, trouble=Trouble("locked by ada on vm", "Wait.")
    )
    await settle(pilot, "enter", "5", "s")
    app.give(replace(WORKING, proposal=refused))
    await settle(pilot)
    await pilot.pause(PAUSE_SECONDS + 0.1)
    screen = await settle(pilot, "ctrl+s")
    assert "✗ locked by ada on vm" in screen
    assert "Not done: this can't be done now" in screen
    assert list_asked(pilot, ProposalConfirmed) == []


@at_desk(replace(WORKING, repositories=make_state(reviewer="ada@example.com").repositories), size=(100, 30))
async def test_key_that_leads_on_from_a_refused_start_is_named(pilot: Pilot[None], app: StillApp) -> None:
    """It waits for a decision: never a command line, and the key works."""
    waits = Trouble("it waits at the gate of build", "Decide there: handoff-tui decide.")
    await settle(pilot, "enter", "5", "s")
    refused = AgentProposal(4, ProposalKind.STEP, ProposalStage.REFUSED, trouble=waits)
    app.give(replace(app.main_screen.state, proposal=refused))
    await settle(pilot)
    await pilot.pause(PAUSE_SECONDS + 0.1)
    screen = await settle(pilot)
    assert "a approve  x send back  r retry" in screen
    assert "handoff-tui decide" not in screen
    await settle(pilot, "x")
    assert [one.verb for one in list_asked(pilot, DecisionWanted)] == ["reject"]


@at_desk(WORKING)
async def test_agent_is_held_and_goes_on(pilot: Pilot[None], app: StillApp) -> None:
    """`p` in both directions; on one that has ended, it has its work looked at."""
    paused = make_run(2, RunStatus.PAUSED)
    await settle(pilot, "enter", "5", "p")
    app.give(make_agent_state(FAILED, paused))
    await settle(pilot)
    await settle(pilot, "p")
    told = [one.paused for one in list_asked(pilot, RunPaused)]
    assert told == [True, False]
    app.give(make_agent_state(FAILED, make_run(2)))
    assert "p reviews its work" in await settle(pilot)
    await settle(pilot, "p")
    assert len(list_asked(pilot, RunReviewWanted)) == 1


@at_desk(WORKING)
async def test_note_is_written_to_the_agents(pilot: Pilot[None], app: StillApp) -> None:
    """An empty one is none."""
    screen = await settle(pilot, "enter", "5", "e")
    assert "Note to the agents of H-1" in screen
    assert not screen.startswith("┏")  # in the middle, like every box
    await settle(pilot, *"keep it", "enter")
    await settle(pilot, "e", "enter")
    assert [one.text for one in list_asked(pilot, NoteWritten)] == ["keep it"]


@at_desk(make_agent_state(FAILED, look_at(make_run(2), StepOutcome.READY, commits=("d" * 40,))))
async def test_diff_of_a_try_is_opened(pilot: Pilot[None], app: StillApp) -> None:
    """From before it to after it; two attempts are compared by their last commits."""
    await settle(pilot, "enter", "5", "ctrl+p", *"changes of this run", "enter")
    assert app.main_screen.view_name == "changes"
    await settle(pilot, "5", "D")
    scopes = [one.scope for one in list_asked(pilot, ScopeWanted)]
    assert [tuple(scope) for scope in scopes] == [
        (DiffScope.BETWEEN, "b" * 40, "d" * 40),
        (DiffScope.BETWEEN, "c" * 40, "d" * 40),
    ]


@pytest.mark.parametrize(
    ("state", "words"),
    [
        (make_state(), "reading…"),
        (make_agent_state(), "No agent has been started for this handoff yet"),
        (make_agent_state(agents=()), "No phase here has an agent; [agents] in handoff-tui.toml can name one"),
        (replace(make_state(), agent=Loaded(trouble=Trouble("no access", "Look."))), "✗ no access. Look."),
    ],
)
@at_desk()
async def test_empty_view_says_why(pilot: Pilot[None], state: AppState, words: str) -> None:
    """Not read yet, nobody started, nobody configured, not readable."""
    assert words in await settle(pilot, "enter", "5")


@at_desk(WORKING, read_only=True)
async def test_desk_to_read_only_starts_nothing(pilot: Pilot[None], app: StillApp) -> None:
    """Neither here nor from another tab."""
    for keys in (("s",), ("enter", "5", "s"), ("S",), ("e",), ("B",), ("2", "s")):
        assert "--read-only" in await settle(pilot, *keys)
    assert list_asked(pilot, ProposalWanted) == []


@at_desk(WORKING)
async def test_agent_is_started_from_anywhere(pilot: Pilot[None], app: StillApp) -> None:
    """The agent's tab opens with the box."""
    await settle(pilot, "s")
    assert app.main_screen.view_name == "agent"
    assert isinstance(app.screen, ProposalScreen)


def test_long_lines_are_wrapped_where_somebody_wants_it() -> None:
    """The end stays at the end, and every line can be reached."""
    long = tuple(f"{number} " + "x" * 120 + f" end {number}" for number in range(30))
    state = replace(make_agent_state(FAILED, RUNNING), output=make_window(RUNNING, long))

    async def script(pilot: Pilot[None]) -> None:
        screen = await settle(pilot, "enter", "5")
        assert "end 29" not in screen
        screen = await settle(pilot, "W")
        assert "end 29" in screen
        assert "follow ●" in screen
        screen = await settle(pilot, "tab", "g")
        assert "end 0" in screen
        assert "end 29" not in screen
        screen = await settle(pilot, "G")
        assert "end 29" in screen
        assert "follow ●" in screen
        assert "end 29" not in await settle(pilot, "W")

    drive(StillApp(state), script)


@at_desk(replace(make_agent_state(RUNNING), output=make_window(RUNNING, ("src/app.py:12: no",))))
async def test_file_that_the_output_names_is_opened(pilot: Pilot[None], app: StillApp) -> None:
    """At its line; where there are several it is asked which."""
    two = replace(make_agent_state(RUNNING), output=make_window(RUNNING, ("src/app.py:12: no", "a/b.py:3")))
    await settle(pilot, "enter", "5", "o")
    app.give(two)
    screen = await settle(pilot, "o")
    assert "Open a file" in screen
    await settle(pilot, "down", "enter")
    wanted = [(asked.path, asked.line) for asked in list_asked(pilot, EditorWanted)]
    assert wanted == [("src/app.py", 12), ("a/b.py", 3)]
    app.give(make_agent_state(RUNNING))
    assert "no file mentioned here" in await settle(pilot, "o")


@at_desk(make_agent_state(FAILED, breakpoints=frozenset({Breakpoint("build", before=False)})))
async def test_breakpoints_are_set_between_phases(pilot: Pilot[None]) -> None:
    """Those that are set are marked."""
    screen = await settle(pilot, "enter", "5", "ctrl+p", *"breakpoint", "enter")
    assert "before build" in screen
    assert "● set" in screen
    await settle(pilot, "enter")
    assert [one.place for one in list_asked(pilot, BreakpointToggled)] == [Breakpoint("build", before=True)]


@at_desk(
    make_agent_state(
        FAILED, scheduled=ScheduledRun("/desk", "H-1", "build", datetime(2026, 3, 5, 10, tzinfo=UTC), "it crashed")
    )
)
async def test_try_that_comes_by_itself_is_said_and_kept_from_it(pilot: Pilot[None], app: StillApp) -> None:
    """Without a box: nothing is running that could be lost."""
    assert "build starts automatically at" in await settle(pilot, "enter", "5")
    await settle(pilot, "S")
    assert len(list_asked(pilot, FollowUpsCancelled)) == 1
    assert list_asked(pilot, ProposalWanted) == []
    app.give(make_agent_state(FAILED, RUNNING, loops=True))
    assert "runs to the next gate" in await settle(pilot)


@at_desk(replace(WORKING, activity=Activity((RUNNING.state.key,))))
async def test_leaving_asks_what_becomes_of_who_is_at_work(pilot: Pilot[None], app: StillApp) -> None:
    """Staying comes first; nothing is stopped without a word."""
    screen = await settle(pilot, "q")
    assert "1 agent running: H-1 · build" in screen
    assert "Quit; it keeps running" in screen
    await settle(pilot, "enter")
    assert app.screen is app.main_screen
    await settle(pilot, "q", "escape")
    assert list_asked(pilot, LeaveWanted) == []
    await settle(pilot, "q", "down", "down")
    await pilot.press("enter")
    await pilot.pause()
    assert [one.stops for one in list_asked(pilot, LeaveWanted)] == [True]


@at_desk(WORKING)
async def test_leaving_asks_nothing_where_nobody_is_at_work(pilot: Pilot[None], app: StillApp) -> None:
    """One key is enough then; where a try would start by itself, it is said that it does not."""
    coming = ScheduledRun("/desk", "H-1", "build", datetime(2026, 3, 5, 10, tzinfo=UTC), "it crashed")
    app.give(replace(WORKING, activity=Activity(scheduled=(coming,))))
    assert "Quit; it won't start" in await settle(pilot, "q")
    await settle(pilot, "escape")
    app.give(WORKING)
    await settle(pilot)
    await pilot.press("q")
    await pilot.pause()
    assert [one.action for one in list_asked(pilot, AppActionWanted)] == ["app.quit"]


@at_desk(make_agent_state(FAILED, RUNNING, overlaps=(SHARED,)))
async def test_what_runs_is_listed_and_shared_files_are_named(pilot: Pilot[None], app: StillApp) -> None:
    """Agents, runs and workers in a box that is read again; the agent's own tab names the files it shares."""
    screen = await settle(pilot, "enter", "5")
    assert "1 file also changed by another agent" in screen
    assert "calc.py is being changed" in await settle(pilot, "V")
    assert "Reading the runs…" in await settle(pilot, "&")
    assert list_asked(pilot, AtWorkWanted)
    worker = WorkerView(name="embedded", host="harbour", since=0.0)
    work = AtWork((RUNNING.state,), (SHARED,), RunOverview(runs=(WAITING_RUN,), workers=(worker,)))
    app.give(replace(app.state or AppState(), at_work=Loaded(work)))
    screen = await settle(pilot)
    for words in ("» running", "H-1 · build", "calc.py is being", "needs you", "0 of 1 approvals", "on harbour"):
        assert words in screen
    app.give(replace(app.state or AppState(), at_work=Loaded(trouble=Trouble("the database can't be read"))))
    assert "the database can't be read" in await settle(pilot)


@at_desk(make_agent_state(FAILED, RUNNING))
async def test_proofs_are_listed_and_opened_in_place(pilot: Pilot[None], app: StillApp) -> None:
    """A picture as half blocks in its own colours; a text as lines, and all of an output in the agent's view."""
    shot, log = PROOFS[0].proofs[0], PROOFS[1].proofs[0]
    listed = replace(make_agent_state(FAILED, RUNNING), proofs=Loaded(ProofsView(PROOFS)))
    picture = ProofShown(shot, picture=Picture(2, 2, bytes((255, 0, 0)) * 4))
    output = ProofShown(log, ("first", "\x1b[2Jlast"), note="the last 400 lines", run=FAILED.state.key)
    assert "Reading the proofs and their digests…" in await settle(pilot, "enter", "5", "P")
    app.give(listed)
    screen = await settle(pilot)
    for words in ("T-1", "proofs/shot.png", "the whole handoff", "output of build 1.1", "reading…"):
        assert words in screen
    app.give(replace(listed, proofs=Loaded(ProofsView(PROOFS, picture))))
    screen = await settle(pilot)
    assert "▀▀" in screen
    assert "2 × 2 pixels" in screen
    await settle(pilot, "j")
    assert [one.proof for one in list_asked(pilot, ProofWanted)][-1] == log
    app.give(replace(listed, proofs=Loaded(ProofsView(PROOFS, output))))
    screen = await settle(pilot)
    assert "␛[2Jlast" in screen
    assert "the last 400 lines" in screen
    assert "Output · build 1.1" in await settle(pilot, "enter")
    assert len(list_asked(pilot, ProofsWanted)) == 1


def test_picture_without_colours_is_drawn_in_shades() -> None:
    """Half blocks would all be the same there."""
    shot = PROOFS[0].proofs[0]
    shown = ProofShown(shot, picture=Picture(2, 1, bytes((255, 255, 255, 0, 0, 0))))
    state = replace(make_agent_state(FAILED), proofs=Loaded(ProofsView(PROOFS, shown)))

    async def script(pilot: Pilot[None]) -> None:
        await settle(pilot, "enter", "5", "P")
        get_app(pilot).give(replace(state, generation=2))
        screen = await settle(pilot)
        assert "▀" not in screen
        assert "@" in screen

    drive(StillApp(state, "monochrome"), script)


async def wait_for(app: ReviewApp, pilot: Pilot[None], holds: Callable[[str], bool]) -> None:
    """Until the screen is as it should be."""
    deadline = time.monotonic() + LONGEST_SECONDS
    while not holds(read_screen(app)):
        assert time.monotonic() < deadline, read_screen(app)
        await pilot.pause(0.05)


_LONGEST_GAP = 2.0
"""Seconds without an answer; a line at a time, this much output would hold the screen for a minute and more."""


@pytest.mark.slow
def test_leaving_stops_who_is_at_work_where_that_is_wanted(stepping: Stepping) -> None:
    """The program ends when they have, and what they did was looked at."""
    stepping.teach("sleep 600 & sleep 600")
    look = Appearance(load_theme("dark", None))
    left = asyncio.Event()

    class Leaving(ReviewApp):
        def exit(self, *_: object, **__: object) -> None:
            left.set()
            super().exit()

    app = Leaving((stepping.root,), look.theme, lambda: look)

    async def script(pilot: Pilot[None]) -> None:
        await wait_for(app, pilot, lambda screen: "HANDOFF.md" in screen)
        await pilot.press("enter", "5")
        await wait_for(app, pilot, lambda screen: "No agent started" in screen)
        await pilot.press("ctrl+p", *"same phase")
        await wait_for(app, pilot, lambda screen: "same phase again" in screen)
        await pilot.press("enter")
        await wait_for(app, pilot, lambda screen: "Start the same phase again" in screen)
        while isinstance(app.screen, ProposalScreen):  # on a busy machine it is painted late, and so armed late
            await pilot.pause(PAUSE_SECONDS + 0.2)
            await pilot.press("ctrl+s")
        await wait_for(app, pilot, lambda _: app.state is not None and bool(app.state.activity.runs))
        await pilot.press("q", "q")
        await wait_for(app, pilot, lambda screen: "1 agent running" in screen)
        await pilot.press("down", "down", "enter")
        await left.wait()

    drive(app, script)
    assert app.state is not None
    assert app.state.activity == Activity()
    [view] = list_views(stepping.desk())
    assert view.report is not None
    assert view.report.outcome is StepOutcome.STOPPED


@pytest.mark.slow
@pytest.mark.parametrize("megabytes", [10, 100])
def test_screen_answers_while_an_agent_floods(megabytes: int, stepping: Stepping) -> None:
    """It is started with two keys, its output is followed, and no moment is long."""
    block = "x" * 99
    stepping.teach(f"yes {block} | head -c {megabytes}000000; echo the end; sleep 1; echo more >> src/app.py")
    look = Appearance(load_theme("dark", None))
    app = ReviewApp((stepping.root,), look.theme, lambda: look)

    async def measure(gaps: list[float]) -> None:
        while True:
            began = time.thread_time()  # what others take of the processor is not counted
            await asyncio.sleep(0.01)
            gaps.append(time.thread_time() - began)

    async def script(pilot: Pilot[None]) -> None:
        await wait_for(app, pilot, lambda screen: "HANDOFF.md" in screen)
        await pilot.press("enter", "5")
        await wait_for(app, pilot, lambda screen: "No agent started" in screen)
        await pilot.press("ctrl+p", *"same phase")
        await wait_for(app, pilot, lambda screen: "same phase again" in screen)
        await pilot.press("enter")
        await wait_for(app, pilot, lambda screen: "Start the same phase again" in screen)
        gaps: list[float] = []
        measuring = asyncio.create_task(measure(gaps))
        while isinstance(app.screen, ProposalScreen):  # on a busy machine it is painted late, and so armed late
            await pilot.pause(PAUSE_SECONDS + 0.2)
            await pilot.press("ctrl+s")
        await wait_for(app, pilot, lambda screen: "the end" in screen and f"{megabytes} MB" in screen)
        measuring.cancel()
        assert max(gaps) < _LONGEST_GAP
        await wait_for(app, pilot, lambda screen: "ready" in screen or "failed" in screen or "needs you" in screen)

    drive(app, script)
