"""Processes: commands that run to their end, agents, those left to themselves, and their output."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import threading
import uuid
from pathlib import Path

import pytest

from handoff_tui.system.processes import identity as process_identity
from handoff_tui.system.processes import run as report_files
from handoff_tui.system.processes.agent_process import start_agent
from handoff_tui.system.processes.detached import end_detached, has_ended, start_detached
from handoff_tui.system.processes.identity import find_descendants, find_marked, is_same_process, read_birth
from handoff_tui.system.processes.output_reader import OutputReader, read_ends, read_last_lines
from handoff_tui.system.processes.run import Bounds, CommandEnd, offer_own_folders, read_report, run_command
from tests.support.waiting import wait_until

BOUNDS = Bounds(seconds=20, grace_seconds=0.3, keep_bytes=4096)
ENVIRONMENT = {"PATH": os.environ["PATH"]}


def run(tmp_path: Path, script: str, bounds: Bounds = BOUNDS, cancel: threading.Event | None = None) -> CommandEnd:
    return run_command(["/bin/sh", "-c", script], tmp_path, ENVIRONMENT, bounds, cancel)


def list_living(tmp_path: Path) -> list[int]:
    """Processes whose pid was written down and that still run."""
    pids = [int(place.read_text()) for place in tmp_path.glob("*.pid")]
    return [
        pid for pid in pids if Path(f"/proc/{pid}/stat").exists() and " Z " not in Path(f"/proc/{pid}/stat").read_text()
    ]


def test_program_that_is_not_there_is_a_reason(tmp_path: Path) -> None:
    """No exception: a reason."""
    end = run_command(["/no/such/program"], tmp_path, ENVIRONMENT, BOUNDS)
    assert end.code is None
    assert end.failure == "/no/such/program: No such file or directory"


def test_command_that_hangs_is_ended(tmp_path: Path) -> None:
    """The time limit holds, and nothing is left of it."""
    end = run(tmp_path, "echo $$ > a.pid; sleep 60 & echo $! > b.pid; wait", Bounds(0.3, 0.2, 4096))
    assert end.timed_out
    assert end.seconds < 10
    assert list_living(tmp_path) == []


def test_command_that_ignores_the_polite_end_is_killed(tmp_path: Path) -> None:
    """TERM is ignored, KILL is not."""
    stubborn = "trap '' TERM; echo $$ > {}.pid; while :; do sleep 1; done"
    script = f"({stubborn.format('b')}) & {stubborn.format('a')}"
    end = run(tmp_path, script, Bounds(0.5, 0.2, 4096))
    assert end.timed_out
    assert list_living(tmp_path) == []


def test_daemon_that_leaves_the_session_is_found(tmp_path: Path) -> None:
    """A process that outlives its command in a session of its own is ended, and counted."""
    daemon = "import os,time; os.setsid(); open('d.pid','w').write(str(os.getpid())); time.sleep(60)"
    end = run(tmp_path, f'{sys.executable} -c "{daemon}" >/dev/null 2>&1 & while [ ! -s d.pid ]; do :; done')
    assert (end.code, end.swept) == (0, 1)
    assert list_living(tmp_path) == []


def test_background_child_that_keeps_the_pipe_open_does_not_hold_us(tmp_path: Path) -> None:
    """The command has ended; who still holds its output is ended too."""
    end = run(tmp_path, "sleep 600 & echo $! > a.pid; echo said")
    assert (end.code, end.output) == (0, b"said\n")
    assert list_living(tmp_path) == []


def test_cancel_ends_everything(tmp_path: Path) -> None:
    """Soon after the word, no process of it is left."""
    cancel = threading.Event()
    timer = threading.Timer(0.3, cancel.set)
    timer.start()
    end = run(tmp_path, "echo $$ > a.pid; sleep 600 & echo $! > b.pid; wait", cancel=cancel)
    assert end.cancelled
    assert list_living(tmp_path) == []


def test_flood_of_output_is_bounded(tmp_path: Path) -> None:
    """64 MB are counted; the beginning and the end are kept."""
    end = run(tmp_path, "echo first; head -c 67108864 /dev/zero; echo last")
    assert end.printed == 67108864 + 11
    assert len(end.output) < 256 * 1024
    assert end.output.startswith(b"first\n")
    assert end.output.endswith(b"last\n")
    assert b"bytes left out" in end.output


def test_only_the_given_environment_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Secrets of this session do not reach a command."""
    monkeypatch.setenv("SECRET_TOKEN", "x")
    assert b"SECRET_TOKEN" not in run(tmp_path, "env").output


def test_place_is_new_and_gone_afterwards() -> None:
    """A command may write there; nothing is left."""
    with offer_own_folders() as own:
        assert not own.report.exists()
        own.report.write_bytes(b"<testsuite/>")
        assert read_report(own.report) == b"<testsuite/>"
        assert all(folder.is_dir() for folder in own[2:])
    assert not own.root.exists()


def test_report_that_nobody_can_read_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Missing, a folder, a link that leads elsewhere, or too large."""
    (tmp_path / "folder").mkdir()
    (tmp_path / "large").write_bytes(b"12345")
    (tmp_path / "link").symlink_to(tmp_path / "large")
    monkeypatch.setattr(report_files, "_MAX_BYTES", 4)
    assert [read_report(tmp_path / name) for name in ("absent", "folder", "link", "large")] == [None] * 4
    monkeypatch.setattr(report_files, "_MAX_BYTES", 5)
    assert read_report(tmp_path / "large") == b"12345"


ORPHANS = """
import os, sys, time
from handoff_tui.system.processes.agent_process import ask_for_orphans, start_agent
assert ask_for_orphans()
agent = start_agent(["/bin/sh", "-c", "env -i setsid sleep 60 & exit 5"], "/", "mark", sys.argv[1])
agent.has_orphans = True
while agent.code is None:
    agent.reap()
    time.sleep(0.01)
living = agent.find_living()
agent.kill_all()
print(agent.code, len(living), len(agent.find_living()))
"""


def test_agent_has_its_output_its_mark_and_no_input(tmp_path: Path) -> None:
    """It can be waited for, and its code is known."""
    agent = start_agent(
        ["/bin/sh", "-c", "cat; echo $HANDOFF_TUI_RUN; exit 3"], str(tmp_path), "m-1", f"{tmp_path}/out"
    )
    _, status = os.waitpid(agent.pid, 0)
    assert os.waitstatus_to_exitcode(status) == 3
    assert (tmp_path / "out").read_bytes() == b"m-1\n"


def test_agent_has_the_usual_signals(tmp_path: Path) -> None:
    """Python ignores a closed pipe; a program that is started must not inherit that."""
    line = "yes | head -1; (sleep 60; :) & kill -TERM $!; wait $!; echo $?"
    agent = start_agent(["/bin/bash", "-c", f"set -o pipefail; {line}"], str(tmp_path), "m-2", f"{tmp_path}/out")
    os.waitpid(agent.pid, 0)
    assert (tmp_path / "out").read_text(encoding="ascii").splitlines()[0] == "y"
    assert (tmp_path / "out").read_text(encoding="ascii").splitlines()[-1] == "143"


@pytest.mark.parametrize("argv", [["no-such-program"], ["/"], ["/etc/passwd"]])
def test_program_that_cannot_be_started_is_an_error(tmp_path: Path, argv: list[str]) -> None:
    """With the reason of the system; no process is left."""
    with pytest.raises(OSError, match=r"No such file|Permission denied|Is a directory|Exec format"):
        start_agent(argv, str(tmp_path), "m-3", f"{tmp_path}/out")


@pytest.mark.parametrize("argv", [[], ["a\0b"]])
def test_words_that_are_no_command_are_refused(tmp_path: Path, argv: list[str]) -> None:
    """Before anything is started."""
    with pytest.raises(ValueError, match="no such command"):
        start_agent(argv, str(tmp_path), "m-4", f"{tmp_path}/out")


def test_group_and_whoever_left_it_hear_a_signal(tmp_path: Path) -> None:
    """Found by their mark where they aren't children of ours."""
    mark = uuid.uuid4().hex  # another run of this test on this machine has others
    agent = start_agent(["/bin/sh", "-c", "setsid sleep 60 & sleep 60"], str(tmp_path), mark, f"{tmp_path}/out")
    wait_until(lambda: len(find_marked(mark)) >= 3)
    agent.send(signal.SIGTERM)
    os.waitpid(agent.pid, 0)
    agent.code = -signal.SIGTERM
    wait_until(lambda: find_marked(mark) == [])


def test_orphans_come_to_who_asked_for_them(tmp_path: Path) -> None:
    """Also with an empty environment and a session of their own; none is left in the end."""
    done = subprocess.run(
        [sys.executable, "-c", ORPHANS, str(tmp_path / "out")], capture_output=True, text=True, check=False, timeout=150
    )
    assert (done.stdout.split(), done.stderr) == (["5", "1", "0"], "")


def test_program_is_started_anew_with_its_words_in_a_file(tmp_path: Path) -> None:
    """It has no terminal and no standard input."""
    output = tmp_path / "words"
    pid = start_detached(["--version"], output)
    wait_until(lambda: has_ended(pid))
    end_detached(pid)
    assert output.read_text(encoding="utf-8").startswith("handoff-tui ")


def test_modules_of_the_folder_at_hand_are_not_imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A repository that plants a module under a known name has it run by nobody."""
    (tmp_path / "argparse.py").write_text(f"open({str(tmp_path / 'planted')!r}, 'w')\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    pid = start_detached(["--help"], tmp_path / "words")
    wait_until(lambda: has_ended(pid))
    end_detached(pid)
    assert not (tmp_path / "planted").exists()


def test_process_leaves_without_waiting_for_its_threads() -> None:
    """One that sleeps for days does not keep it."""
    code = (
        "import threading, time; from handoff_tui.system.processes.detached import leave_at_once\n"
        "threading.Thread(target=time.sleep, args=(3600,)).start(); print('said'); leave_at_once(3)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False, timeout=150)
    assert (done.returncode, done.stdout) == (3, b"said\n")


def test_polite_end_calls_what_it_was_given() -> None:
    """SIGTERM is heard, and the process decides itself."""
    code = (
        "import os, signal, sys; from handoff_tui.system.processes.detached import on_polite_end\n"
        "on_polite_end(lambda: sys.exit(7)); os.kill(os.getpid(), signal.SIGTERM)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False, timeout=150).returncode == 7


def test_process_is_known_by_its_birth() -> None:
    """The same pid with another birth is another process."""
    birth = read_birth(os.getpid())
    assert birth is not None
    assert is_same_process(os.getpid(), birth)
    assert not is_same_process(os.getpid(), birth + "1")


def test_dead_process_has_no_birth() -> None:
    """Neither has one that nobody has waited for yet."""
    with subprocess.Popen(["true"]) as process:
        wait_until(lambda: read_birth(process.pid) is None, "the end of the process")
    assert read_birth(process.pid) is None


def test_birth_can_be_asked_of_ps() -> None:
    """Where there is no /proc."""
    assert process_identity._ask_ps(os.getpid())
    assert process_identity._ask_ps(2**22 + 1) is None


def test_descendants_are_found_at_any_depth() -> None:
    """Children of children, but not the process itself."""
    with subprocess.Popen(["sh", "-c", "sh -c 'sleep 60; :' & wait"], start_new_session=True) as process:
        try:
            wait_until(lambda: len(find_descendants(process.pid)) == 2, "the child of the child")
            assert process.pid not in find_descendants(process.pid)
            assert process.pid in find_descendants(os.getpid())
        finally:
            os.killpg(process.pid, 9)


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return tmp_path / "output.log"


def test_growing_output_is_known_as_it_grows(place: Path) -> None:
    """A last line without an end counts; it grows too."""
    reader = OutputReader(place)
    assert (reader.line_count, reader.read_lines(0, 1), reader.size) == (0, [], 0)
    place.write_bytes(b"one\ntw")
    reader.advance()
    assert (reader.line_count, reader.read_lines(1, 5)) == (2, ["tw"])
    with place.open("ab") as file:
        file.write(b"o\n\nthree")
    assert not reader.is_complete
    reader.advance()
    assert reader.read_lines(0, 9) == ["one", "two", "", "three"]


def test_output_is_followed_in_the_background(place: Path) -> None:
    """Until it is closed."""
    place.write_bytes(b"a\n")
    reader = OutputReader(place)
    reader.follow(0.01)
    reader.follow(0.01)
    wait_until(lambda: reader.line_count == 1)
    with place.open("ab") as file:
        file.write(b"b\n" * 1000)
    wait_until(lambda: reader.line_count == 1001)
    reader.close()


def test_output_that_was_cut_off_is_counted_anew(place: Path) -> None:
    """No line of what was there is shown."""
    place.write_bytes(b"old\n" * 100)
    reader = OutputReader(place)
    reader.advance()
    place.write_bytes(b"new\n")
    reader.advance()
    assert (reader.line_count, reader.read_lines(0, 5)) == (1, ["new"])


def test_text_is_found_in_any_letters_from_a_line_on(place: Path) -> None:
    """Also where it lies across two blocks, and never in a line before."""
    lines = ["Error here"] + ["filler " * 9] * 3_000 + ["an ERROR again", "end"]
    place.write_text("\n".join(lines) + "\n", encoding="ascii")
    reader = OutputReader(place)
    reader.advance()
    assert reader.find("error") == 0
    assert reader.find("error", 1) == 3_001
    assert reader.find("error", 3_002) is None
    assert (reader.find(""), reader.find("a\nb"), reader.find("x", 9_999)) == (None, None, None)
    place.write_bytes(b"\n" * 5 + b"y" * (65_530 - 5) + b"needle in hay\n")
    reader.advance()
    assert reader.find("NEEDLE") == 5


def test_very_long_line_is_shown_by_its_beginning(place: Path) -> None:
    """The line after it is there in full."""
    place.write_bytes(b"z" * 300_000 + b"\nnext\n")
    reader = OutputReader(place)
    reader.advance()
    first, second = reader.read_lines(0, 2)
    assert (len(first), second) == (16 * 1024, "next")


def test_bytes_that_are_no_text_are_kept(place: Path) -> None:
    """A front end shows them as what they are."""
    place.write_bytes(b"\xff\xfe\x1b[31m\r\n")
    reader = OutputReader(place)
    reader.advance()
    assert reader.read_lines(0, 1) == ["\udcff\udcfe\x1b[31m"]


def test_memory_stays_small_for_a_large_output(place: Path) -> None:
    """64 MB of lines cost less than a few MB."""
    with place.open("wb") as file:
        for _ in range(64):
            file.write(b"0123456789abcde\n" * 65_536)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    reader = OutputReader(place)
    reader.advance()
    assert reader.line_count == 64 * 65_536
    assert reader.read_lines(4_000_000, 1) == ["0123456789abcde"]
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 8 * 1024


def test_last_lines_need_no_count(place: Path) -> None:
    """Fewer where there are fewer; none where there is no file."""
    assert read_last_lines(place, 3) == []
    place.write_bytes(b"a\nb\nc")
    assert (read_last_lines(place, 2), read_last_lines(place, 9)) == (["b", "c"], ["a", "b", "c"])
    assert read_last_lines(place, 0) == []


def test_beginning_and_end_are_read_without_the_middle(place: Path) -> None:
    """Nothing twice where the whole fits."""
    place.write_bytes(b"head" + b"." * 1000 + b"tail")
    assert read_ends(place, 4, 4) == "head\ntail"
    place.write_bytes(b"short")
    assert read_ends(place, 100, 100) == "short\n"
    assert read_ends(place.with_name("gone"), 1, 1) == ""
