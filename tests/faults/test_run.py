"""Procedures end to end: the real verbs, a worker in the background, a decision signed in git, agents as processes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from handoff_tui.agents.engine.worker import has_completed
from handoff_tui.agents.procedures.report import ProcedureState
from handoff_tui.agents.procedures.run import wake_runs
from handoff_tui.handoffs.session import open_session
from tests.support.gates import HANDOFF, GateDesk
from tests.support.procedure_engine import CONFIG, TRANSITION, RunDesk
from tests.support.procedure_runs import REQUEST, ListEngine, build_run
from tests.support.waiting import wait_until

OWN = """\
[procedures]
backoff_seconds = [0]
[procedures.procedures.OWN]
steps = [
  { name = "transfer_resources", timeout_seconds = 20 },
  { name = "builder", timeout_seconds = 20, retries = 1 },
]
rollback = [
  { name = "rollback_resources", timeout_seconds = 20, undoes = ["transfer_resources"] },
  { name = "cleaner", timeout_seconds = 20, undoes = ["builder"] },
]
[agents.builder]
command = ["sh", "SCRIPT", "{handoff}", "{prompt_file}"]
may_change_nothing = true
[agents.cleaner]
command = ["sh", "-c", "echo cleaned >> FOLDER/cleaned"]
"""


@pytest.fixture
def run_desk(gate_desk: GateDesk) -> Iterator[RunDesk]:
    desk = RunDesk(gate_desk)
    yield desk
    desk.kill_worker()


def test_transition_waits_for_the_signature_and_then_passes(run_desk: RunDesk) -> None:
    """Everything is prepared, a person is waited for, the entry in git is verified, and only then is it passed on."""
    said = run_desk.run(TRANSITION)
    assert (said.code, said.json["state"]) == (5, "waiting"), said.stderr
    assert (run_desk.transfers / "state.json").exists()
    assert not (run_desk.transfers / "passed.json").exists()
    approved = run_desk.desk.decide(run_desk.reviewer, "approve")
    assert approved.code == 0, approved.stderr
    found = run_desk.wait_end(said.json["id"])
    assert found["state"] == ProcedureState.COMPLETED
    passed = json.loads((run_desk.transfers / "passed.json").read_bytes())
    assert passed["entry"] == approved.json["entry"]
    again = run_desk.run(TRANSITION)
    assert (again.code, again.json["id"]) == (0, said.json["id"])


def test_rejection_rolls_everything_back(run_desk: RunDesk) -> None:
    """What was handed over is gone again; asking again is another run."""
    run = run_desk.run(TRANSITION).json["id"]
    assert run_desk.desk.decide(run_desk.reviewer, "reject", "--reason", "not like this").code == 0
    found = run_desk.wait_end(run)
    assert (found["state"], found["needs_human"]) == ("rollback", False)
    assert "not like this" in str(found["reason"])
    assert list(run_desk.transfers.iterdir()) == []


def test_worker_killed_at_the_gate_is_started_again_by_whoever_wakes_it(run_desk: RunDesk) -> None:
    """The run waits without any process, and goes on when somebody sends word of a decision."""
    said = run_desk.run(TRANSITION)
    run_desk.kill_worker()
    assert run_desk.desk.decide(run_desk.reviewer, "approve").code == 0
    assert wake_runs(open_session(run_desk.desk.root), HANDOFF) == 1
    done = run_desk.run(TRANSITION)
    assert (done.json["id"], done.json["state"], done.code) == (said.json["id"], "completed", 0)
    assert wake_runs(open_session(run_desk.desk.root), HANDOFF) == 0


def test_agents_of_an_own_procedure_are_started_once_and_found_again(run_desk: RunDesk, isolated_user: Path) -> None:
    """A worker dies while the agent works; the next one attaches to it, and what it prints is kept by its hash."""
    script = isolated_user / "agent.sh"
    script.write_text(
        f"echo begun >> {isolated_user}/begun\nwhile [ ! -e {isolated_user}/go ]; do sleep 0.1; done\n",
        encoding="utf-8",
    )
    own = OWN.replace("SCRIPT", str(script)).replace("FOLDER", str(isolated_user))
    run_desk.write_config(run_desk.reviewer, CONFIG + own)
    said = run_desk.run("OWN", "--no-wait")
    wait_until((isolated_user / "begun").exists, "the agent's beginning")
    run_desk.kill_worker()
    (isolated_user / "go").touch()
    run_desk.run("OWN", "--no-wait")
    found = run_desk.wait_end(said.json["id"])
    assert found["state"] == "completed", found
    assert (isolated_user / "begun").read_text(encoding="utf-8") == "begun\n"


def test_failing_agent_is_tried_again_and_then_rolled_back_by_another(run_desk: RunDesk, isolated_user: Path) -> None:
    """Each attempt is a run of its own; the way back may be an agent's, too."""
    script = isolated_user / "agent.sh"
    script.write_text(f"echo $1 >> {isolated_user}/tried\nexit 3\n", encoding="utf-8")
    own = OWN.replace("SCRIPT", str(script)).replace("FOLDER", str(isolated_user))
    run_desk.write_config(run_desk.reviewer, CONFIG + own)
    found = run_desk.wait_end(run_desk.run("OWN").json["id"])
    assert (found["state"], "exited with 3" in str(found["reason"])) == ("rollback", True)
    assert (isolated_user / "tried").read_text(encoding="utf-8").split() == [HANDOFF, HANDOFF]
    assert (isolated_user / "cleaned").read_text(encoding="utf-8") == "cleaned\n"
    assert not (run_desk.transfers / "resources.json").exists()


def test_agents_of_a_repository_run_only_when_trusted(run_desk: RunDesk, isolated_user: Path) -> None:
    """A checkout that brings a procedure with its own command has it refused, with the digest to spell out."""
    (run_desk.desk.root / "handoff-tui.toml").write_text(
        OWN.replace("SCRIPT", "src/agent.sh").replace("FOLDER", str(isolated_user)), encoding="utf-8"
    )
    run_desk.desk.change("exit 0\n", "src/agent.sh")
    refused = run_desk.run("OWN")
    assert (refused.code, "nobody has consented to run it" in refused.stderr) == (2, True)
    digest = refused.stderr.rpartition("--trust ")[2].strip()
    assert run_desk.run("--trust", "sha256:0").code == 2
    assert run_desk.run("--trust", digest).code == 0
    assert run_desk.wait_end(run_desk.run("OWN").json["id"])["state"] == "completed"


def test_worker_started_on_demand_ends_when_nothing_is_left(run_desk: RunDesk) -> None:
    """It goes by itself, and leaves no process behind."""
    run_desk.desk.builder.write("loose.txt")
    run_desk.write_config(run_desk.reviewer, CONFIG + "[procedures]\nbackoff_seconds = [0]\n")
    assert run_desk.run(TRANSITION).code == 1
    assert run_desk.has_worker()
    wait_until(lambda: not run_desk.has_worker(), "the worker's end")


def test_waiting_run_is_withdrawn_by_the_verb_and_a_second_worker_is_refused(run_desk: RunDesk) -> None:
    """Beside the file there is one worker, and it undoes what the run has done."""
    run = run_desk.run(TRANSITION).json["id"]
    said = run_desk.reviewer.say("worker", "--repo", run_desk.desk.root)
    assert (said.code, "this repository already has a worker" in said.stderr) == (2, True)
    assert "asked to end" in run_desk.run("--withdraw", run).stderr
    found = run_desk.wait_end(run)
    assert (found["state"], found["withdrawn"]) == ("rollback", True)
    assert list(run_desk.transfers.iterdir()) == []
    [listed] = run_desk.run("--list").json["runs"]
    assert (listed["id"], listed["state"]) == (run, "rollback")


def test_procedure_counts_as_completed_for_its_own_attempt_only() -> None:
    """Another attempt, phase or procedure is another matter; so is one that has not ended well."""
    engine = ListEngine((build_run(), build_run(ProcedureState.FAILED, number=2)))
    assert has_completed(engine, REQUEST, "P")
    for change in ({"attempt": 2}, {"phase": "test"}, {"handoff": "H-2"}):
        assert not has_completed(engine, REQUEST.model_copy(update=change), "P")
    assert not has_completed(engine, REQUEST, "Q")
