"""Agents at the live desk: real scripts are started, followed, stopped and spoken to."""

from __future__ import annotations

from pathlib import Path

import pytest

from handoff_tui.agents.runs.run import RunKey, RunStatus
from handoff_tui.agents.step.end import finish_step
from handoff_tui.agents.step.prepare import StepRequest, prepare_step
from handoff_tui.agents.step.report import RunView, StepOutcome
from handoff_tui.agents.step.step import follow, start_step
from handoff_tui.checks.run.check import ProgressCallbacks
from handoff_tui.core.errors import AgentRunError
from handoff_tui.live.state.agents import (
    NO_ACTIVITY,
    AgentProposal,
    Breakpoint,
    OutputRange,
    OutputSource,
    OutputWindow,
    ProposalKind,
    ProposalStage,
)
from handoff_tui.live.state.app import AppState, Part
from tests.support.gates import CODE, GateDesk
from tests.support.live_desks import Onlooker, looking
from tests.support.stepping import HANDOFF, WORK, Stepping

WAIT = "while test ! -e $HOME/go; do sleep 0.02; done"
"""An agent that is at work until the test lets it go."""


def open_tries(onlooker: Onlooker) -> None:
    onlooker.choose(HANDOFF)
    onlooker.desk.need(frozenset({Part.AGENT}))
    onlooker.wait_for(lambda state: state.agent.value is not None)


def propose(
    onlooker: Onlooker, kind: ProposalKind, run: RunKey | None = None, phase: str | None = None
) -> AgentProposal:
    """Asks for something, and waits until it is put together or refused."""
    before = onlooker.state.proposal
    onlooker.desk.agents.propose(kind, run, phase)
    state = onlooker.wait_for(lambda state: state.proposal is not before and is_settled(state))
    assert state.proposal is not None
    return state.proposal


def is_settled(state: AppState) -> bool:
    return state.proposal is not None and state.proposal.stage in {ProposalStage.READY, ProposalStage.REFUSED}


def confirm(onlooker: Onlooker, proposal: AgentProposal, typed: str = "") -> None:
    onlooker.desk.agents.confirm(proposal.number, typed)
    onlooker.wait_for(lambda state: state.proposal is not None and state.proposal.stage is ProposalStage.DONE)


def start(onlooker: Onlooker) -> RunKey:
    """Steps into the first phase, and waits until the agent is at work."""
    confirm(onlooker, propose(onlooker, ProposalKind.STEP, phase="build"))
    state = onlooker.wait_for(lambda state: any(is_alive(view) for view in list_views(state)))
    return list_views(state)[-1].state.key


def list_views(state: AppState) -> tuple[RunView, ...]:
    return state.agent.value.runs if state.agent.value else ()


def is_alive(view: RunView) -> bool:
    return view.state.status in {RunStatus.RUNNING, RunStatus.PAUSED}


def wait_for_end(onlooker: Onlooker) -> RunView:
    state = onlooker.wait_for(lambda state: bool(list_views(state)) and list_views(state)[-1].report is not None)
    return list_views(state)[-1]


def change_config(stepping: Stepping, old: str, new: str) -> None:
    """The first place of a text in the user's own file."""
    text = stepping.config.read_text(encoding="utf-8")
    stepping.config.write_text(text.replace(old, new, 1), encoding="utf-8")


def let_go(home: Path) -> None:
    (home / "go").touch()


def wait_for_output(onlooker: Onlooker, place: OutputRange, lines: int) -> OutputWindow:
    onlooker.desk.agents.follower.want(place)
    state = onlooker.wait_for(
        lambda state: state.output is not None and state.output.total >= lines and state.output.source is place.source
    )
    assert state.output is not None
    return state.output


def test_step_is_shown_and_started_only_when_it_is_confirmed(stepping: Stepping) -> None:
    """What would run is there word for word; a number that was never shown starts nothing."""
    with looking(stepping.root) as onlooker:
        open_tries(onlooker)
        proposal = propose(onlooker, ProposalKind.STEP, phase="build")
        plan = proposal.plan
        assert plan is not None
        assert plan.argv == ("sh", str(stepping.script()), "{prompt_file}")
        assert (plan.phase, plan.attempt, plan.number, plan.folder) == ("build", 1, 1, str(stepping.root))
        assert "PATH" in plan.environment
        assert HANDOFF in plan.prompt
        onlooker.desk.agents.confirm(proposal.number + 1)
        assert list_views(onlooker.state) == ()
        confirm(onlooker, proposal)
        ended = wait_for_end(onlooker)
        assert ended.report is not None
        assert ended.report.files[0].path == "src/app.py"
        assert len(ended.report.commits) == 1
        onlooker.wait_for(lambda state: state.status is not None and HANDOFF in state.status.text)


def test_output_is_shown_while_it_is_printed(stepping: Stepping, isolated_user: Path) -> None:
    """The last lines follow what is printed; any others are read when they are wanted."""
    stepping.teach(f"seq 1 1000; {WAIT}; seq 1001 2000; {WORK}")
    with looking(stepping.root) as onlooker:
        open_tries(onlooker)
        key = start(onlooker)
        window = wait_for_output(onlooker, OutputRange(key, OutputSource.OUTPUT, None, 10), 1000)
        assert window.lines[-1] == "1000"
        let_go(isolated_user)
        state = onlooker.wait_for(lambda state: state.output is not None and state.output.total > 2000)
        assert state.output is not None
        assert len(state.output.lines) <= 30
        onlooker.desk.agents.follower.want(OutputRange(key, OutputSource.OUTPUT, 500, 10))
        state = onlooker.wait_for(lambda state: state.output is not None and state.output.first == 490)
        assert state.output is not None
        assert state.output.lines[10] == "501"
        wait_for_end(onlooker)


def test_search_goes_forwards_and_backwards(stepping: Stepping) -> None:
    """By line; what is nowhere is told as nothing."""
    stepping.teach(f"seq 1 5000; {WORK}")
    with looking(stepping.root) as onlooker:
        open_tries(onlooker)
        key = start_and_end(onlooker)
        for first, height, text, line in ((10, 1, "4321", 4320), (4999, -1, "77", 4976), (0, 1, "no such", None)):
            before = onlooker.state.found
            onlooker.desk.agents.search(OutputRange(key, OutputSource.OUTPUT, first, height), text)
            state = onlooker.wait_for(lambda state, before=before: state.found is not before)  # type: ignore[misc]
            assert state.found is not None
            assert state.found.line == line


def start_and_end(onlooker: Onlooker) -> RunKey:
    confirm(onlooker, propose(onlooker, ProposalKind.STEP, phase="build"))
    return wait_for_end(onlooker).state.key


def test_prompt_of_a_try_can_be_read(stepping: Stepping) -> None:
    """What it was told is kept, and shown like its output."""
    with looking(stepping.root) as onlooker:
        open_tries(onlooker)
        key = start_and_end(onlooker)
        window = wait_for_output(onlooker, OutputRange(key, OutputSource.PROMPT, 0, 50), 2)
        assert any(HANDOFF in line for line in window.lines)


def test_agent_is_paused_resumed_and_stopped(stepping: Stepping) -> None:
    """Stopping asks first, ends everything, and what it did is looked at."""
    stepping.teach("echo begun; sleep 600")
    with looking(stepping.root) as onlooker:
        open_tries(onlooker)
        key = start(onlooker)
        onlooker.desk.agents.set_paused(key, paused=True)
        onlooker.wait_for(lambda state: list_views(state)[-1].state.status is RunStatus.PAUSED)
        onlooker.desk.agents.set_paused(key, paused=False)
        onlooker.wait_for(lambda state: list_views(state)[-1].state.status is RunStatus.RUNNING)
        proposal = propose(onlooker, ProposalKind.STOP, key)
        assert proposal.run is not None
        confirm(onlooker, proposal)
        ended = wait_for_end(onlooker)
        assert ended.report is not None
        assert ended.report.outcome is StepOutcome.STOPPED


def test_second_step_names_who_holds_the_phase(stepping: Stepping, isolated_user: Path) -> None:
    """And offers nothing to confirm."""
    stepping.teach(f"{WAIT}; {WORK}")
    with looking(stepping.root) as onlooker:
        open_tries(onlooker)
        start(onlooker)
        proposal = propose(onlooker, ProposalKind.STEP, phase="build")
        assert proposal.stage is ProposalStage.REFUSED
        assert proposal.trouble is not None
        assert "build is locked by" in proposal.trouble.message
        let_go(isolated_user)
        wait_for_end(onlooker)


def test_note_reaches_who_is_at_work(stepping: Stepping, isolated_user: Path) -> None:
    """Its notes file grows while it runs."""
    stepping.teach(f"{WAIT}; cat $HANDOFF_TUI_NOTES_FILE; {WORK}")
    with looking(stepping.root) as onlooker:
        open_tries(onlooker)
        key = start(onlooker)
        onlooker.desk.agents.write_note("Keep the public names.")
        onlooker.wait_for(lambda state: state.status is not None and "Note saved" in state.status.text)
        let_go(isolated_user)
        wait_for_end(onlooker)
        window = wait_for_output(onlooker, OutputRange(key, OutputSource.OUTPUT, None, 10), 1)
        assert any("Keep the public names." in line for line in window.lines)


def test_phase_without_an_agent_is_refused_with_what_to_do(stepping: Stepping) -> None:
    """Nothing is guessed."""
    change_config(stepping, "[agents.maker]", "[agents.other]")
    with looking(stepping.root) as onlooker:
        open_tries(onlooker)
        proposal = propose(onlooker, ProposalKind.STEP, phase="build")
        assert proposal.stage is ProposalStage.REFUSED
        assert proposal.trouble is not None
        assert "[agents.maker] is not configured" in proposal.trouble.message


def test_phase_for_people_asks_for_its_name(stepping: Stepping) -> None:
    """Without it nothing is started."""
    change_config(stepping, 'agent = "maker"\n', 'agent = "maker"\nhuman_only = true\n')
    with looking(stepping.root) as onlooker:
        open_tries(onlooker)
        proposal = propose(onlooker, ProposalKind.STEP, phase="build")
        assert (proposal.stage, proposal.typed) == (ProposalStage.READY, "build")
        onlooker.desk.agents.confirm(proposal.number)
        onlooker.desk.agents.confirm(proposal.number, "test")
        assert onlooker.state.proposal is proposal
        confirm(onlooker, proposal, "build")
        wait_for_end(onlooker)


def test_what_was_shown_is_what_is_started(stepping: Stepping) -> None:
    """Where the agent would be told something else by now, it is shown again and nothing is started."""
    with looking(stepping.root) as onlooker:
        open_tries(onlooker)
        proposal = propose(onlooker, ProposalKind.STEP, phase="build")
        onlooker.desk.agents.write_note("Something new.")
        onlooker.wait_for(lambda state: state.status is not None and "Note saved" in state.status.text)
        onlooker.desk.agents.confirm(proposal.number)
        state = onlooker.wait_for(lambda state: state.proposal is not None and state.proposal.number > proposal.number)
        state = onlooker.wait_for(is_settled)
        assert state.proposal is not None
        assert state.proposal.plan is not None
        assert "Something new." in state.proposal.plan.prompt
        assert "changed since this was shown" in state.proposal.note
        assert list_views(state) == ()


def test_proposal_that_was_left_does_nothing(stepping: Stepping) -> None:
    """Also when its number is confirmed afterwards."""
    with looking(stepping.root) as onlooker:
        open_tries(onlooker)
        proposal = propose(onlooker, ProposalKind.STEP, phase="build")
        onlooker.desk.agents.leave()
        onlooker.desk.agents.confirm(proposal.number)
        assert onlooker.state.proposal is None
        assert not list(stepping.root.glob(".git/handoff-tui/runs/*"))


@pytest.mark.parametrize("kind", [ProposalKind.ROLLBACK, ProposalKind.UNDO, ProposalKind.UNLOCK, ProposalKind.STOP])
def test_what_cannot_be_done_is_refused_with_a_reason(kind: ProposalKind, stepping: Stepping) -> None:
    """Nothing was approved, rolled back, locked or started here."""
    with looking(stepping.root) as onlooker:
        open_tries(onlooker)
        proposal = propose(onlooker, kind)
        assert proposal.stage is ProposalStage.REFUSED
        assert proposal.trouble is not None
        assert proposal.trouble.message


def test_run_that_nobody_looked_at_is_looked_at_on_request(stepping: Stepping) -> None:
    """One that ended while no desk was open stays as it is until somebody asks."""
    desk = stepping.desk()
    view = start_step(prepare_step(desk, StepRequest(HANDOFF, "build")))
    follow(desk, view.state.key)
    left = ProgressCallbacks()
    left.cancel.set()
    with pytest.raises(AgentRunError, match="were cut short"):  # who leaves early writes nothing down
        finish_step(desk, view.state.key, left)
    with looking(stepping.root) as onlooker:
        open_tries(onlooker)
        assert list_views(onlooker.state)[-1].report is None
        onlooker.desk.agents.look_at(view.state.key)
        assert wait_for_end(onlooker).report is not None


def test_rollback_is_shown_done_and_undone(gate_desk: GateDesk) -> None:
    """Uncommitted work of nobody's run must be agreed to by a word; undoing brings it back."""
    gate_desk.begin_approved()
    gate_desk.builder.write("own.txt", "somebody's own\n")
    code = gate_desk.builder.place("src/app.py")
    with looking(gate_desk.root) as onlooker:
        state = onlooker.wait_for(lambda state: bool(state.inbox))
        onlooker.desk.choose(state.inbox[0].key)
        proposal = propose(onlooker, ProposalKind.ROLLBACK)
        assert proposal.rollback is not None
        assert (proposal.rollback.unexplained, proposal.typed) == (("own.txt",), "uncommitted")
        assert code.read_text(encoding="utf-8") == "broken\n"
        confirm(onlooker, proposal, "uncommitted")
        assert code.read_text(encoding="utf-8") == CODE
        assert not gate_desk.builder.place("own.txt").exists()
        proposal = propose(onlooker, ProposalKind.UNDO)
        assert proposal.record is not None
        confirm(onlooker, proposal)
        assert code.read_text(encoding="utf-8") == "broken\n"
        assert gate_desk.builder.place("own.txt").read_text(encoding="utf-8") == "somebody's own\n"


def test_same_phase_again_is_the_one_whose_work_is_there(stepping: Stepping) -> None:
    """Also where its gate is not open, which stops a plain step."""
    with looking(stepping.root) as onlooker:
        open_tries(onlooker)
        start_and_end(onlooker)
        again = propose(onlooker, ProposalKind.AGAIN)
        assert again.plan is not None
        assert (again.plan.phase, again.plan.number) == ("build", 2)


def test_checks_are_read_again_when_an_agent_has_ended(stepping: Stepping) -> None:
    """Without anybody asking; the terminal rings only where the user wants it, and once."""
    stepping.configure("[notifications]\nbell = true\n")
    with looking(stepping.root) as onlooker:
        onlooker.choose(HANDOFF, Part.CHECKS)
        before = onlooker.state.checks.value
        onlooker.desk.need(frozenset({Part.AGENT, Part.CHECKS}))
        start_and_end(onlooker)
        onlooker.wait_for(lambda state: state.checks.value is not before and not state.checks.stale)
        state = onlooker.wait_for(lambda state: state.ring is not None)
        assert state.ring is not None
        assert (state.ring.number, state.ring.sequence) == (1, "\a")


def list_outcomes(state: AppState) -> list[tuple[str, str]]:
    return [(view.state.key.phase, view.report.outcome.value if view.report else "") for view in list_views(state)]


def wait_for_outcomes(onlooker: Onlooker, *expected: tuple[str, str]) -> AppState:
    return onlooker.wait_for(lambda state: list_outcomes(state) == list(expected))


def fail_once(stepping: Stepping, name: str) -> None:
    flag = stepping.root.parent / "flag"
    stepping.teach(f"if [ ! -e {flag} ]; then touch {flag}; exit 1; fi; {WORK}", name)


def test_agent_that_fails_by_itself_is_tried_again(stepping: Stepping) -> None:
    """As its settings say, and as it was shown; the desk says that nobody is at work when that is so."""
    stepping.configure(retries=1, backoff_seconds=[0])
    fail_once(stepping, "maker")
    with looking(stepping.root) as onlooker:
        open_tries(onlooker)
        confirm(onlooker, propose(onlooker, ProposalKind.STEP, phase="build"))
        wait_for_outcomes(onlooker, ("build", "failed"), ("build", "ready"))
        onlooker.wait_for(lambda state: state.activity == NO_ACTIVITY)


def test_loop_goes_on_until_a_person_is_needed(stepping: Stepping) -> None:
    """Back along the failure edge and forward again; what only people start is not started."""
    stepping.configure(gate=False).teach()
    fail_once(stepping, "tester")
    with looking(stepping.root) as onlooker:
        open_tries(onlooker)
        confirm(onlooker, propose(onlooker, ProposalKind.LOOP, phase="build"))
        wait_for_outcomes(onlooker, ("build", "ready"), ("test", "failed"), ("build", "ready"), ("test", "ready"))
        state = onlooker.wait_for(lambda state: state.activity == NO_ACTIVITY)
        assert state.agent.value is not None
        assert not state.agent.value.loops


def test_loop_is_held_by_a_breakpoint(stepping: Stepping) -> None:
    """And says so."""
    stepping.configure(gate=False).teach()
    with looking(stepping.root) as onlooker:
        open_tries(onlooker)
        onlooker.desk.agents.toggle_breakpoint(Breakpoint("test", before=True))
        confirm(onlooker, propose(onlooker, ProposalKind.LOOP, phase="build"))
        onlooker.wait_for(lambda state: state.status is not None and "stopped at the breakpoint" in state.status.text)
        wait_for_outcomes(onlooker, ("build", "ready"))


def test_everybody_is_stopped_who_was_started_here(stepping: Stepping) -> None:
    """With what it had started; its work is looked at."""
    stepping.configure(retries=3, backoff_seconds=[0]).teach("sleep 600 & sleep 600")
    with looking(stepping.root) as onlooker:
        open_tries(onlooker)
        key = start(onlooker)
        onlooker.wait_for(lambda state: state.activity.runs == (key,))
        onlooker.desk.agents.stop_all()
        onlooker.wait_for(lambda state: state.activity == NO_ACTIVITY)
        wait_for_outcomes(onlooker, ("build", "stopped"))
