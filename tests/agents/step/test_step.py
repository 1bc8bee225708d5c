from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from handoff_tui.agents.runs.phase_locks import find_lock, take_lock
from handoff_tui.agents.runs.run import RunKey, RunStatus
from handoff_tui.agents.step.follow import follow, read_view, stop_step
from handoff_tui.agents.step.prepare import StepRequest, build_environment, choose_handoff, prepare_step, start_step
from handoff_tui.agents.step.report import Direction, StepOutcome
from handoff_tui.core.errors import AgentRunError, HandoffNotFoundError, NoHumanError, PhaseLockedError, UsageError
from tests.support.gates import GateDesk
from tests.support.stepping import HANDOFF, WORK, Stepping


@pytest.mark.short
def test_preparing_writes_and_runs_nothing(stepping: Stepping) -> None:
    """The key, the way and the context are known; no folder, no lock."""
    prepared = prepare_step(stepping.desk(), StepRequest(HANDOFF, "build"))
    assert (prepared.key.attempt, prepared.key.number, prepared.route.direction) == (1, 1, Direction.AGAIN)
    assert prepared.context.handoff.title is not None
    assert not (stepping.root / ".git" / "handoff-tui" / "runs").exists()


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


def test_next_phase_waits_for_a_person(
    gate_desk: GateDesk, isolated_user: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A step starts nobody behind a closed gate; an approval by a person opens it, and a rejection leads back."""
    stepping = Stepping(gate_desk.builder, isolated_user).teach().teach(WORK, "tester")

    def decide(verb: str, reason: str) -> None:
        gate_desk.decide(bo, verb, "--phase", "build", "--reason", reason)
        monkeypatch.setenv("HOME", str(isolated_user))
        monkeypatch.setenv("XDG_CONFIG_HOME", str(isolated_user / "config"))

    bo = gate_desk.person("bo")
    gate_desk.begin(bo)
    assert stepping.step().next_move == "a person decides at the gate behind build"
    with pytest.raises(AgentRunError, match="waits at the gate behind build"):
        stepping.step(None)
    with pytest.raises(AgentRunError, match="gate behind build is not open"):
        stepping.step("test")
    decide("reject", "no tests at all")
    again = stepping.step(None)
    assert (again.key.phase, again.key.attempt, again.route.direction) == ("build", 2, Direction.AGAIN)
    assert "no tests at all" in (Path(again.proof).parent / "prompt.md").read_text(encoding="utf-8")
    decide("approve", "good")
    forward = stepping.step(None)
    assert (forward.key.phase, forward.route.direction) == ("test", Direction.FORWARD)


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
    with pytest.raises(NoHumanError, match="may only be started by a person"):
        start_step(prepared)
    view = start_step(prepared, confirmed=True)
    assert follow(stepping.desk(), view.state.key).state.status is RunStatus.FINISHED


def test_agent_can_work_in_a_tree_of_its_own(stepping: Stepping) -> None:
    """On its own branch; the repository's files stay as they are, and the checks look at its work."""
    before = stepping.builder.head()
    report = stepping.configure(folder="worktree").step()
    assert (report.outcome, stepping.builder.head()) == (StepOutcome.READY, before)
    assert report.branch == "refs/heads/handoff-tui/notes-HANDOFF.md/build/a1"
    assert [file.path for file in report.files] == ["src/app.py"]
    assert stepping.builder.git("status", "--porcelain") == ""


def test_decisions_are_not_missed_in_a_tree_of_its_own(gate_desk: GateDesk, isolated_user: Path) -> None:
    """A log that is in no commit yet is there, too."""
    stepping = Stepping(gate_desk.builder, isolated_user).teach().configure(folder="worktree")
    gate_desk.begin(gate_desk.person("bo"))
    report = stepping.step()
    assert (report.outcome, report.gate) == (StepOutcome.READY, "pending")


def test_earlier_phase_can_be_wanted_again(stepping: Stepping) -> None:
    """By its name, or as the one before; the first has none before it."""
    stepping.configure(gate=False).teach(WORK, "tester").step()
    stepping.step("test")
    prepared = prepare_step(stepping.desk(), StepRequest(HANDOFF, back=True))
    assert (prepared.phase.name, prepared.route.direction) == ("build", Direction.BACK)
    with pytest.raises(AgentRunError, match="first phase"):
        prepare_step(stepping.desk(), StepRequest(HANDOFF, "build", back=True))


def test_handoff_need_not_be_named_where_there_is_one(stepping: Stepping) -> None:
    """With more, it must; with none, there is nothing to do."""
    assert choose_handoff(stepping.desk(), None) == HANDOFF
    stepping.builder.write("docs/handoffs/other.md", "# Handoff: other\n\nStatus: COMPLETE\n").commit()
    with pytest.raises(UsageError, match="2 handoffs are here"):
        choose_handoff(stepping.desk(), None)
    with pytest.raises(HandoffNotFoundError):
        choose_handoff(stepping.desk(), "gone")


def test_agent_sees_the_named_variables_alone(stepping: Stepping, monkeypatch: pytest.MonkeyPatch) -> None:
    """And where its own files are."""
    monkeypatch.setenv("SECRET", "x")
    prepared = prepare_step(stepping.desk(), StepRequest(HANDOFF, "build"))
    environment = build_environment(prepared)
    assert "SECRET" not in environment
    assert environment["HANDOFF_TUI_HANDOFF"] == HANDOFF
    assert environment["HANDOFF_TUI_NOTES_FILE"].endswith("notes.md")
    assert read_view(stepping.desk(), prepared.key).state.status is RunStatus.ABSENT
