from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from handoff_tui.agents.runs.folders import read_run, stop_run
from handoff_tui.agents.runs.run import RunEnding, RunStatus
from tests.support.runs import Runs
from tests.support.stepping import wait_until


@pytest.fixture
def runs(tmp_path: Path) -> Runs:
    return Runs(tmp_path)


def test_supervisor_imports_the_standard_library_alone() -> None:
    """It starts in a moment, and nothing of a repository can stand in for what it imports."""
    source = str(Path(__file__).parents[3] / "src")
    code = f"import sys; sys.path.append({source!r}); import handoff_tui.agents.runs.supervisor; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    names = set(done.stdout.split())
    assert not names & {"pathlib", "subprocess", "dataclasses", "socket", "pydantic"}
    assert {name for name in names if name.startswith("handoff_tui.")} == {
        *("handoff_tui.agents", "handoff_tui.agents.runs", "handoff_tui.agents.runs.supervisor"),
        *("handoff_tui.system", "handoff_tui.system.processes", "handoff_tui.system.processes.agent_process"),
        *("handoff_tui.system.processes.identity", "handoff_tui.agents.runs.files"),
    }


def test_modules_planted_in_the_work_folder_are_not_loaded(runs: Runs) -> None:
    """A `json.py` beside the agent is no part of the supervisor."""
    for name in ("json.py", "subprocess.py", "sitecustomize.py"):
        (runs.folder / name).write_text("raise SystemExit('planted')", encoding="utf-8")
    state = runs.run("true")
    assert state.end is not None
    assert state.end.succeeded


def test_agent_that_floods_is_ended_near_its_limit(runs: Runs) -> None:
    """What was printed up to then is kept."""
    state = runs.run("yes", output_bytes=100_000)
    assert state.end is not None
    assert (state.end.ending, state.end.output_bytes > 100_000) == (RunEnding.FLOODED, True)


def test_children_that_leave_the_session_are_ended(runs: Runs) -> None:
    """Counted when the agent left them; found although their environment is empty."""
    state = runs.run("env -i setsid /bin/sleep 60 & env -i setsid /bin/sleep 60 & sleep 0.2")
    assert state.end is not None
    assert state.end.left_running == 2


def test_end_of_a_pipeline_is_waited_for(runs: Runs) -> None:
    """A child that is just about to end was not left running."""
    state = runs.run("(sleep 0.2; echo late) & exit 0")
    assert state.end is not None
    assert (state.end.left_running, Path(state.folder, "output.log").read_bytes()) == (0, b"late\n")


def test_supervisor_keeps_giving_signs(runs: Runs) -> None:
    """Its heartbeat and that of its lock are fresh; at its end the lock is gone."""
    lock = runs.folder / "lock.json"
    lock.write_text(json.dumps({"mark": "mark", "pid": 1}), encoding="utf-8")
    handle = runs.start("sleep 60", mark="mark", lock=str(lock))
    wait_until(lambda: read_run(handle).heartbeat is not None)
    process = read_run(handle).process
    assert process is not None
    assert json.loads(lock.read_bytes())["pid"] == process.pid
    stop_run(handle)
    assert not lock.exists()


def test_lock_of_somebody_else_is_left_alone(runs: Runs) -> None:
    """It was broken and taken again while the agent ran."""
    lock = runs.folder / "lock.json"
    lock.write_text(json.dumps({"mark": "another"}), encoding="utf-8")
    runs.run("true", mark="mark", lock=str(lock))
    assert json.loads(lock.read_bytes()) == {"mark": "another"}


def test_agent_whose_folder_was_deleted_is_watched_to_its_end(runs: Runs) -> None:
    """No result can be written then; nothing of it goes on either."""
    plan = runs.plan("true")
    target = runs.folder / "handoff-tui"
    handle = runs.start(f"rm -rf {target}; sleep 0.2; echo $$ > {runs.folder}/pid", mark=plan.mark)
    note = runs.folder / "pid"
    wait_until(lambda: note.exists() and note.read_bytes().endswith(b"\n"))
    assert read_run(handle).status is RunStatus.ABSENT
    pid = note.read_text(encoding="ascii").strip()
    wait_until(lambda: not Path(f"/proc/{pid}").exists())
