from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from handoff_tui.agents.runs.phase_locks import find_lock, take_lock
from handoff_tui.agents.runs.run import RunKey, RunStatus
from handoff_tui.agents.step.end import finish_step
from handoff_tui.agents.step.follow import follow, stop_step
from handoff_tui.agents.step.prepare import StepRequest, prepare_step
from handoff_tui.agents.step.report import Sign, StepOutcome
from handoff_tui.agents.step.start import build_environment, refuse_changed, start_step
from handoff_tui.core.errors import AgentRunError, NoHumanError, PhaseLockedError, ShownMovedError
from handoff_tui.decisions.examine import examine
from handoff_tui.handoffs.session import open_desk
from handoff_tui.log.open_log import open_log
from tests.support.gates import HANDOFF as GATED
from tests.support.gates import GateDesk
from tests.support.stepping import HANDOFF, WORK, Stepping


def test_agent_is_given_its_files_with_recorded_digests(stepping: Stepping) -> None:
    """Prompt, context and notes, by name and by variable; what it was told can be checked later."""
    stepping.teach(f'{WORK}; cat "$1" "$HANDOFF_TUI_PROMPT_FILE" > /dev/null && echo "$HANDOFF_TUI_PHASE"')
    report = stepping.step()
    folder = Path(report.proof).parent
    assert hashlib.sha256((folder / "prompt.md").read_bytes()).hexdigest() == report.prompt_sha256
    assert hashlib.sha256((folder / "context.json").read_bytes()).hexdigest() == report.context_sha256
    context = json.loads((folder / "context.json").read_bytes())
    assert (context["schema"], context["key"]["phase"]) == ("handoff-tui/context/v1", "build")
    assert (folder / "output.log").read_text(encoding="utf-8").endswith("build\n")


def test_agent_sees_the_named_variables_alone(stepping: Stepping, monkeypatch: pytest.MonkeyPatch) -> None:
    """And where its own files are."""
    monkeypatch.setenv("SECRET", "x")
    prepared = prepare_step(stepping.desk(), StepRequest(HANDOFF, "build"))
    environment = build_environment(prepared)
    assert "SECRET" not in environment
    assert environment["HANDOFF_TUI_HANDOFF"] == HANDOFF
    assert environment["HANDOFF_TUI_NOTES_FILE"].endswith("notes.md")


def test_start_is_refused_when_something_moved_and_goes_on_when_nothing_did(stepping: Stepping) -> None:
    """What was prepared is what starts; the lock is free again, and the same run cannot be begun twice."""
    common_dir = stepping.desk().repository.common_dir
    stale = prepare_step(stepping.desk(), StepRequest(HANDOFF, "build"))
    stepping.builder.write("src/app.py", "moved\n")
    with pytest.raises(ShownMovedError, match=r"no agent was started.*src/app\.py"):
        start_step(stale)
    assert find_lock(common_dir, "build") is None
    stepping.builder.commit()
    prepared = prepare_step(stepping.desk(), StepRequest(HANDOFF, "build"))
    stepping.teach(f"{WORK}; cp $HANDOFF_TUI_CONTEXT_FILE {stepping.home}/told")
    view = follow(stepping.desk(), start_step(prepared).state.key)
    told = json.loads((stepping.home / "told").read_bytes())
    assert (told["schema"], told["key"]["phase"], told["procedure"]) == ("handoff-tui/context/v1", "build", None)
    stepping.builder.step("reset", "--quiet", "--hard", "HEAD^")
    with pytest.raises(ShownMovedError, match="somebody else has just begun run 1 of build"):
        start_step(prepared)
    report = finish_step(stepping.desk(), view.state.key)
    assert (report.outcome, report.notices[0].sign) == (StepOutcome.FAILED, Sign.DID_NOTHING)
    assert Path(report.proof).exists()


def test_everything_that_a_start_rests_on_is_asked_again(gate_desk: GateDesk) -> None:
    """The gate, every decision about the handoff, the agents, the files: each that moved is named."""
    bo = gate_desk.person("bo")
    gate_desk.begin(bo)
    desk = open_desk(gate_desk.root)
    examined = examine(desk, open_log(desk.repository), GATED)
    refuse_changed(examined)
    assert gate_desk.decide(bo, "reject", "--reason", "no tests").code == 0
    with pytest.raises(ShownMovedError, match="the gate behind review is now rejected; it was pending"):
        refuse_changed(examined)
    Path(gate_desk.root, "handoff-tui.toml").write_text('[agents.heron]\ncommand = ["sh"]\n', encoding="utf-8")
    with pytest.raises(ShownMovedError, match=r"handoff-tui\.toml.*the configuration of agents changed"):
        refuse_changed(examined)


@pytest.mark.short
def test_second_operator_is_told_who_is_at_work(stepping: Stepping) -> None:
    """And nothing of theirs is left behind."""
    stepping.teach("sleep 60")
    view = start_step(prepare_step(stepping.desk(), StepRequest(HANDOFF, "build")))
    with pytest.raises(PhaseLockedError, match="build is locked by"):
        start_step(prepare_step(stepping.desk(), StepRequest(HANDOFF, "build")))
    stop_step(stepping.desk(), view.state.key)
    assert find_lock(stepping.desk().repository.common_dir, "build") is None


def test_failed_start_gives_the_lock_back(stepping: Stepping) -> None:
    """A prompt that no command takes is refused, and the phase is free."""
    text = stepping.config.read_text(encoding="utf-8").replace('"{prompt_file}"', '"{prompt}"')
    stepping.config.write_text(text.replace("timeout_seconds", f'prompt = "{"x" * 132_000}"\ntimeout_seconds', 1))
    with pytest.raises(AgentRunError, match="too long"):
        stepping.step()
    take_lock(stepping.desk().repository.common_dir, RunKey(handoff=HANDOFF, phase="build"), "somebody")


def test_phase_for_people_is_started_by_a_person_alone(gate_desk: GateDesk, isolated_user: Path) -> None:
    """Without a confirmation at a terminal it is refused."""
    stepping = Stepping(gate_desk.builder, isolated_user).teach().configure(gate=False)
    stepping.teach(WORK, "tester").step()
    stepping.step("test")
    prepared = prepare_step(stepping.desk(), StepRequest(HANDOFF, "release"))
    with pytest.raises(NoHumanError, match="only a person may start"):
        start_step(prepared)
    view = start_step(prepared, confirmed=True)
    assert follow(stepping.desk(), view.state.key).state.status is RunStatus.FINISHED
