"""A worker that is killed at any point: whoever starts the next one goes on, and no finished step is done again."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from handoff_tui.agents.engine.trial import read_records
from handoff_tui.agents.procedures.report import PlannedStep, ProcedureState, RunRequest, TryKind, TryResult
from tests.support.procedure_engine import EngineFolder
from tests.support.procedure_runs import REQUEST, build_plan, build_rule, build_step, build_undo
from tests.support.waiting import wait_until

STEPS = ("one", "two", "three")


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[EngineFolder]:
    """An engine beside a file, without a worker yet."""
    with EngineFolder(tmp_path) as opened:
        write_usual_plan(opened)
        yield opened


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EngineFolder]:
    """An engine with one worker that nobody kills; each test asks for a handoff of its own."""
    with EngineFolder(tmp_path_factory.mktemp("running")) as opened:
        opened.start()
        yield opened


def write_usual_plan(folder: EngineFolder, prefix: str = "") -> None:
    """Three steps, a rule and the way back; `prefix` tells the steps of tests apart that share a worker."""
    undos = tuple(build_undo(f"{prefix}undo-{name}", f"{prefix}{name}") for name in STEPS)
    steps = (build_step(f"{prefix}{name}") for name in STEPS)
    folder.write_plan(build_plan(*steps, rules=(build_rule("A"),), rollback=undos))


def build_request(handoff: str) -> RunRequest:
    return REQUEST.model_copy(update={"handoff": handoff})


def test_killed_worker_is_followed_by_one_that_goes_on(folder: EngineFolder) -> None:
    """The finished step is done once, the one that was cut short once more, and the rest follows."""
    kill_within(folder, "two")
    assert folder.list_begun() == ["one", "two", "two", "three"]


@pytest.mark.slow
def test_worker_killed_within_every_step_is_followed_by_others(folder: EngineFolder) -> None:
    """The long form: one death a step."""
    kill_within(folder, *STEPS)
    assert folder.list_begun() == ["one", "one", "two", "two", "three", "three"]


def kill_within(folder: EngineFolder, *steps: str) -> None:
    """Kills a worker within each of these steps, then lets another one come to the end."""
    for step in steps:
        folder.hold(step)
    run = folder.engine.submit(REQUEST)
    for step in steps:
        worker = folder.start()
        folder.wait_begun(step)
        folder.kill(worker)
        folder.release(step)
    folder.start()
    assert folder.wait_end(run).state is ProcedureState.COMPLETED


@pytest.mark.slow
def test_killed_rollback_goes_on_where_it_was(folder: EngineFolder) -> None:
    """What was undone is not undone again, and the order stays."""
    folder.fail("three")
    folder.hold("undo-two")
    run = folder.engine.submit(REQUEST)
    worker = folder.start()
    folder.wait_begun("undo-two")
    folder.kill(worker)
    folder.release("undo-two")
    folder.start()
    assert folder.wait_end(run).rolled_back
    assert folder.list_begun() == [*STEPS, "undo-three", "undo-two", "undo-two", "undo-one"]


@pytest.mark.slow
def test_gate_outlives_its_worker(folder: EngineFolder) -> None:
    """A run waits for a person without any worker, and goes on when one comes back and somebody has decided."""
    folder.write_plan(build_plan(build_step("one"), build_step("two", gate=True)))
    run = folder.engine.submit(REQUEST)
    worker = folder.start()
    wait_until(lambda: folder.view(run).state is ProcedureState.WAITING, "the wait at the gate")
    folder.kill(worker)
    assert folder.view(run).state is ProcedureState.WAITING
    (folder.folder / "approved").touch()
    folder.start()
    folder.engine.wake(run)
    assert folder.wait_end(run).state is ProcedureState.COMPLETED
    assert folder.list_begun() == ["one", "two"]


@pytest.mark.slow
def test_wake_without_a_decision_changes_nothing_and_the_log_alone_moves_it(running: EngineFolder) -> None:
    """A forged wake makes a run look at git, where nothing is; when the log moves, the worker sees it by itself."""
    running.write_plan(build_plan(build_step("gated", gate=True)))
    run = running.engine.submit(build_request("forged"))
    wait_until(lambda: running.view(run).state is ProcedureState.WAITING, "the wait at the gate")
    running.engine.wake(run)
    wait_until(lambda: len(running.view(run).tries) > 1, "a second look")
    looks = running.view(run).tries
    assert {(look.kind, look.result) for look in looks} == {(TryKind.GATE, TryResult.WAITING)}
    assert running.list_begun(run) == []
    (running.folder / "approved").touch()
    assert running.wait_end(run).state is ProcedureState.COMPLETED


@pytest.mark.slow
def test_withdrawn_run_is_undone(running: EngineFolder) -> None:
    """The step at hand is cut short, the rest is not begun, and what was done is undone."""
    write_usual_plan(running, "w-")
    running.hold("w-two")
    run = running.engine.submit(build_request("withdrawn"))
    running.wait_begun("w-two")
    running.engine.cancel(run)
    found = running.wait_end(run)
    assert (found.rolled_back, found.withdrawn) == (True, True)
    assert running.list_begun(run) == ["w-one", "w-two", "w-undo-two", "w-undo-one"]


@pytest.mark.slow
def test_asking_twice_is_one_run(running: EngineFolder) -> None:
    """The id says what is asked for; the second time nothing is added."""
    write_usual_plan(running, "t-")
    [run] = {running.engine.submit(build_request("twice")), running.engine.submit(build_request("twice"))}
    running.wait_end(run)
    assert running.list_begun(run) == ["t-one", "t-two", "t-three"]
    assert [known.id for known in running.engine.list() if "twice" in known.id] == [run]


@pytest.mark.slow
def test_fifty_runs_at_once_hold(running: EngineFolder) -> None:
    """All wait at their gates at the same time, and all come to their end."""
    running.write_plan(build_plan(build_step("f-one"), build_step("f-two")))
    running.hold("f-two")
    runs = [running.engine.submit(build_request(f"fifty-{number}")) for number in range(50)]
    wait_until(lambda: running.list_begun().count("f-two") == 50, "all fifty at their second step")
    running.release("f-two")
    assert {running.wait_end(run).state for run in runs} == {ProcedureState.COMPLETED}
    assert all(running.list_begun(run) == ["f-one", "f-two"] for run in runs)


@pytest.mark.slow
def test_fault_of_a_step_stops_its_run_alone(running: EngineFolder) -> None:
    """A plan that cannot be read ends the run for a person; the worker lives on."""
    (running.folder / "plan.json").write_text("{", encoding="utf-8")
    run = running.engine.submit(build_request("fault"))
    found = running.wait_end(run)
    assert (found.state, found.needs_human) == (ProcedureState.FAILED, True)
    assert "ended by a fault" in found.reason
    write_usual_plan(running, "a-")
    assert running.wait_end(running.engine.submit(build_request("after"))).state is ProcedureState.COMPLETED


def test_rollback_that_fails_stops_for_a_person_who_is_told(running: EngineFolder) -> None:
    """The rest is left alone, and named."""
    write_usual_plan(running, "p-")
    running.fail("p-three")
    running.fail("p-undo-two")
    run = running.engine.submit(build_request("person"))
    found = running.wait_end(run)
    assert (found.needs_human, found.left) == (True, ("p-undo-two", "p-undo-one"))
    told = [record["name"] for record in read_records(running.folder) if record["moment"] == "told"]
    assert found.reason in told


@pytest.mark.slow
def test_agent_steps_are_done_by_a_child_that_survives(folder: EngineFolder) -> None:
    """An agent's step goes through the limited queue, and its try is told like any other."""
    agent = PlannedStep(name="agent", timeout_seconds=30.0, agent=True)
    folder.write_plan(build_plan(build_step("one"), agent))
    folder.hold("agent")
    run = folder.engine.submit(REQUEST)
    worker = folder.start()
    folder.wait_begun("agent")
    folder.kill(worker)
    folder.release("agent")
    folder.start()
    found = folder.wait_end(run)
    assert [(one.name, one.result) for one in found.tries] == [("one", TryResult.PASS), ("agent", TryResult.PASS)]
    assert folder.list_begun() == ["one", "agent", "agent"]


@pytest.mark.slow
def test_twenty_deaths_over_thirty_runs_lose_and_repeat_nothing(folder: EngineFolder) -> None:
    """Killed at chance: every run ends as it has to, and no step that was written down is ever begun again."""
    chance = random.Random(7)  # noqa: S311 - the same deaths each time
    failing = {f"H-{number}" for number in range(30) if number % 5 == 0}
    for handoff in failing:
        folder.fail(f"three-{handoff}")
    runs = [folder.engine.submit(build_request(f"H-{number}")) for number in range(30)]
    written: dict[tuple[str, str], int] = {}
    for _ in range(20):
        worker = folder.start()
        time.sleep(chance.uniform(0.05, 1.5))  # the moment of a death, not a wait for anything
        folder.kill(worker)
        for run in runs:
            passed = [one.name for one in folder.view(run).tries if one.passed]
            for name in passed:
                written.setdefault((run, name), folder.list_begun(run).count(name))
    folder.start()
    ended = {run: folder.wait_end(run).state for run in runs}
    for run, state in ended.items():
        assert state is (ProcedureState.ROLLBACK if run.split(":")[0] in failing else ProcedureState.COMPLETED)
    assert {key: folder.list_begun(key[0]).count(key[1]) for key in written if key[1] != "A"} == {
        key: count for key, count in written.items() if key[1] != "A"
    }
