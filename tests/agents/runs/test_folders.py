"""Runs of agents: their folder, their supervisor and their output."""

from __future__ import annotations

import hashlib
import json
import signal
import subprocess
import sys
import uuid
from pathlib import Path
from threading import Event, Timer

import pytest

from handoff_tui.agents.runs.files import OutputHash, write_json
from handoff_tui.agents.runs.folders import (
    attach_run,
    build_name,
    find_run,
    list_runs,
    pause_run,
    read_run,
    resume_run,
    start_run,
    stop_run,
    wait_run,
    write_run,
)
from handoff_tui.agents.runs.run import RunEnding, RunKey, RunStatus
from handoff_tui.core.errors import AgentRunError
from handoff_tui.system.processes.identity import find_marked
from tests.support.step_reports import Runs
from tests.support.waiting import wait_until


@pytest.fixture
def runs(tmp_path: Path) -> Runs:
    return Runs(tmp_path)


def test_run_ends_with_its_code_and_the_digest_of_its_output(runs: Runs) -> None:
    """Both streams, in order, with the time it took."""
    state = runs.run("echo out; echo err >&2; exit 3")
    assert state.status is RunStatus.FINISHED
    assert state.end is not None
    assert (state.end.ending, state.end.code, state.end.succeeded) == (RunEnding.EXITED, 3, False)
    assert state.end.output_sha256 == hashlib.sha256(b"out\nerr\n").hexdigest()
    assert (state.end.output_bytes, state.elapsed) == (8, state.end.seconds)


def test_run_is_found_again_by_its_key(runs: Runs) -> None:
    """Finished ones give their result; one that never was is absent; nothing is started by asking."""
    state = runs.run("true")
    assert find_run(runs.folder, state.key) == state
    assert find_run(runs.folder, RunKey(handoff="H-9", phase="build")).status is RunStatus.ABSENT
    with pytest.raises(AgentRunError, match="never started"):
        attach_run(runs.folder, RunKey(handoff="H-9", phase="build"))


def test_run_is_started_once_whoever_asks(runs: Runs) -> None:
    """Asking again, before or after its end, starts nothing; nor does another plan of the same key."""
    handle = runs.start("echo once; sleep 0.3")
    again = write_run(runs.folder, runs.plan("echo twice").model_copy(update={"key": handle.key}))
    start_run(again, {})
    state = wait_run(handle)
    start_run(handle, {})
    assert Path(state.folder, "output.log").read_bytes() == b"once\n"


def test_run_outlives_who_started_it(runs: Runs) -> None:
    """The starter is gone before the agent is; its result is there all the same."""
    plan = runs.plan("sleep 0.4; echo survived")
    handle = write_run(runs.folder, plan)
    code = "import sys; from pathlib import Path; from handoff_tui.agents.runs.folders import *; "
    code += f"start_run(attach_run(Path({str(runs.folder)!r}), RunHandle.__annotations__ and KEY), {{}})"
    key = plan.key.model_dump()
    setup = f"from handoff_tui.agents.runs.run import RunKey; KEY = RunKey(**{key!r}); "
    subprocess.run([sys.executable, "-c", setup + code + "; import os; os._exit(9)"], check=False, timeout=150)
    state = wait_run(handle, timeout=150)
    assert state.end is not None
    assert (state.end.code, Path(state.folder, "output.log").read_bytes()) == (0, b"survived\n")


def test_agent_is_its_own_session_without_terminal_or_input(runs: Runs) -> None:
    """It cannot ask, and a signal to the starter's group does not reach it."""
    state = runs.run("cat; ps -o sid= -p $$ | tr -d ' '; echo $$; (: > /dev/tty) 2>/dev/null || echo no terminal")
    session, pid, said = Path(state.folder, "output.log").read_text(encoding="ascii").splitlines()
    assert (session, said) == (pid, "no terminal")


def test_program_that_is_not_there_was_not_started(runs: Runs) -> None:
    """So is one in a folder that is not there; each says why."""
    state = runs.run("", argv=("no-such-program",))
    assert state.end is not None
    assert (state.end.ending, state.end.failure) == (
        RunEnding.NOT_STARTED,
        "no-such-program: No such file or directory",
    )
    state = runs.run("true", folder=str(runs.folder / "gone"))
    assert (state.end and state.end.failure) == f"the folder {runs.folder / 'gone'} does not exist"


def test_time_limit_ends_the_whole_group(runs: Runs) -> None:
    """Politely first, then by force."""
    state = runs.run("trap '' TERM; sh -c 'sleep 60' & sleep 60", timeout_seconds=0.3)
    assert state.end is not None
    assert (state.end.ending, state.end.signal) == (RunEnding.TIMED_OUT, signal.SIGKILL)
    assert state.plan is not None
    assert find_marked(state.plan.mark) == []


def test_stop_lets_an_agent_clean_up(runs: Runs) -> None:
    """Within its grace; a stop of what is over changes nothing."""
    handle = runs.start("trap 'echo bye; exit 0' TERM; echo ready; while :; do sleep 0.05; done")
    wait_until(lambda: read_run(handle).output_bytes > 0)
    state = stop_run(handle, 5.0)
    assert state.end is not None
    assert (state.end.ending, state.end.code) == (RunEnding.STOPPED, 0)
    assert Path(state.folder, "output.log").read_bytes().endswith(b"bye\n")
    assert stop_run(handle) == state


def test_pause_holds_agent_and_clock(runs: Runs) -> None:
    """A paused agent prints nothing, and its time limit waits with it."""
    handle = runs.start("while :; do echo tick; sleep 0.05; done", timeout_seconds=1.0)
    assert pause_run(handle).status is RunStatus.PAUSED
    size = read_run(handle).output_bytes
    assert wait_run(handle, timeout=1.3).status is RunStatus.PAUSED
    assert read_run(handle).output_bytes == size
    assert resume_run(handle).status is RunStatus.RUNNING
    wait_until(lambda: read_run(handle).output_bytes > size)
    assert stop_run(handle).status is RunStatus.FINISHED
    with pytest.raises(AgentRunError, match="not running"):
        pause_run(handle)


def test_paused_agent_can_be_stopped(runs: Runs) -> None:
    """It hears of its end."""
    handle = runs.start("trap 'exit 7' TERM; while :; do sleep 0.05; done")
    pause_run(handle)
    state = stop_run(handle, 5.0)
    assert state.end is not None
    assert state.end.ending is RunEnding.STOPPED


def test_waiting_can_be_given_up_without_harm(runs: Runs) -> None:
    """The agent goes on; whoever looks again finds it."""
    handle = runs.start("sleep 0.5; echo done")
    cancel = Event()
    Timer(0.1, cancel.set).start()
    assert wait_run(handle, cancel).status is RunStatus.RUNNING
    seen: list[RunStatus] = []
    assert wait_run(handle, on_look=lambda state: seen.append(state.status)).status is RunStatus.FINISHED
    assert seen[-1] is RunStatus.FINISHED


def test_agent_of_another_machine_cannot_be_reached(runs: Runs) -> None:
    """It is said where it runs; a silent one there counts as lost."""
    handle = write_run(runs.folder, runs.plan("true"))
    process = {"pid": 1, "started": "x", "host": "elsewhere", "since": 0.0}
    write_json(handle.folder / "process.json", dict(process))
    assert read_run(handle).status is RunStatus.LOST
    (handle.folder / "heartbeat").touch()
    assert read_run(handle).status is RunStatus.RUNNING
    with pytest.raises(AgentRunError, match="runs on elsewhere"):
        stop_run(handle)


def test_runs_are_listed_in_order(runs: Runs) -> None:
    """Of one handoff or of all; a folder without a plan is none."""
    first, second = runs.run("true"), runs.run("true")
    other = runs.plan("true").model_copy(update={"key": RunKey(handoff="a/b", phase="RED")})
    prepared = write_run(runs.folder, other)
    (runs.folder / "handoff-tui" / "runs" / "H-2" / "x" / "a1" / "agent" / "t1").mkdir(parents=True)
    assert [state.key for state in list_runs(runs.folder, "H-1")] == [first.key, second.key]
    assert [state.status for state in list_runs(runs.folder)][-1] is RunStatus.PREPARED
    assert list_runs(runs.folder, "a/b")[0].folder == str(prepared.folder)


def test_supervisor_that_cannot_start_is_told(runs: Runs) -> None:
    """With its last words, and where the rest is."""
    handle = write_run(runs.folder, runs.plan("true"))
    (handle.folder / "plan.json").write_text("{", encoding="utf-8")
    with pytest.raises(AgentRunError, match=r"did not start: json\.decoder\.JSONDecodeError"):
        start_run(handle, {})


@pytest.mark.parametrize("text", ["..", ".", "a/b", "../../x", "a\0b", "", "ä" * 200, "x" * 500, "A\nB"])
def test_any_name_is_one_folder(text: str) -> None:
    """It cannot lead elsewhere, and is short enough for every file system."""
    name = build_name(text)
    assert "/" not in name
    assert name not in {"", ".", ".."}
    assert len(name) <= 120


def test_supervisor_imports_the_standard_library_alone() -> None:
    """It starts in a moment, and nothing of a repository can stand in for what it imports."""
    source = str(Path(__file__).parents[3] / "src")
    code = f"import sys; sys.path.append({source!r}); import handoff_tui.agents.runs.supervisor; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, check=True, timeout=150
    )
    names = set(done.stdout.split())
    assert not names & {"pathlib", "subprocess", "dataclasses", "socket", "pydantic"}
    assert {name for name in names if name.startswith("handoff_tui.")} == {
        *("handoff_tui.agents", "handoff_tui.agents.runs", "handoff_tui.agents.runs.supervisor"),
        *("handoff_tui.system", "handoff_tui.system.processes", "handoff_tui.system.processes.agent_process"),
        *("handoff_tui.system.processes.identity", "handoff_tui.agents.runs.files"),
    }


def test_modules_planted_in_the_work_folder_are_not_loaded(runs: Runs) -> None:
    """A `json.py` beside the agent isn't part of the supervisor."""
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
    assert (state.end and state.end.left_running) == 2


def test_end_of_a_pipeline_is_waited_for(runs: Runs) -> None:
    """A child that is just about to end was not left running."""
    state = runs.run("(sleep 0.2; echo late) & exit 0")
    assert state.end is not None
    assert (state.end.left_running, Path(state.folder, "output.log").read_bytes()) == (0, b"late\n")


def test_supervisor_keeps_giving_signs(runs: Runs) -> None:
    """Its heartbeat and that of its lock are fresh; at its end the lock is gone."""
    lock = runs.folder / "lock.json"
    mark = uuid.uuid4().hex
    lock.write_text(json.dumps({"mark": mark, "pid": 1}), encoding="utf-8")
    handle = runs.start("sleep 60", mark=mark, lock=str(lock))
    wait_until(lambda: read_run(handle).heartbeat is not None)
    process = read_run(handle).process
    assert process is not None
    assert json.loads(lock.read_bytes())["pid"] == process.pid
    stop_run(handle)
    assert not lock.exists()


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


def test_digest_grows_with_the_output(tmp_path: Path) -> None:
    """In pieces or at once, it is that of all bytes."""
    place = tmp_path / "output.log"
    digest = OutputHash(place)
    assert not digest.read_some()
    place.write_bytes(b"one\n")
    digest.read_some()
    with place.open("ab") as file:
        file.write(b"x" * 9_000_000)
    assert digest.read_some()
    digest.read_rest()
    assert digest.digest.hexdigest() == hashlib.sha256(place.read_bytes()).hexdigest()
    assert not digest.rewritten


def test_output_that_was_cut_off_is_noticed(tmp_path: Path) -> None:
    """What was hashed before counts; so does a file that is gone."""
    place = tmp_path / "output.log"
    place.write_bytes(b"an error\n")
    digest = OutputHash(place)
    digest.read_rest()
    place.write_bytes(b"")
    digest.read_rest()
    assert digest.rewritten
    assert digest.digest.hexdigest() == hashlib.sha256(b"an error\n").hexdigest()
    other = OutputHash(place)
    place.write_bytes(b"x")
    other.read_rest()
    place.unlink()
    other.read_rest()
    assert other.rewritten
