from __future__ import annotations

import os
import sys
import threading
import time
from pathlib import Path

import pytest

from handoff_tui.system.processes import run as report_files
from handoff_tui.system.processes.identity import find_marked
from handoff_tui.system.processes.run import (
    Bounds,
    CommandEnd,
    OutputKeeper,
    offer_report_place,
    read_report,
    run_command,
)

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


def test_exit_code_and_output_are_told(tmp_path: Path) -> None:
    """Both streams, and the code."""
    end = run(tmp_path, "echo out; echo err >&2; exit 3")
    assert (end.code, end.output, end.printed, end.timed_out) == (3, b"out\nerr\n", 8, False)


def test_standard_input_is_closed(tmp_path: Path) -> None:
    """A command that asks for input gets none, and does not hang."""
    assert run(tmp_path, "cat; echo done").output == b"done\n"


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
    end = run(tmp_path, "sleep 60 & echo $! > a.pid; echo said")
    assert (end.code, end.output) == (0, b"said\n")
    assert end.seconds < 10
    assert list_living(tmp_path) == []


def test_cancel_ends_everything(tmp_path: Path) -> None:
    """Soon after the word, no process of it is left."""
    cancel = threading.Event()
    timer = threading.Timer(0.3, cancel.set)
    timer.start()
    started = time.monotonic()
    end = run(tmp_path, "echo $$ > a.pid; sleep 60 & echo $! > b.pid; wait", cancel=cancel)
    assert end.cancelled
    assert time.monotonic() - started < 10
    assert list_living(tmp_path) == []


def test_flood_of_output_is_bounded(tmp_path: Path) -> None:
    """64 MB are counted; the beginning and the end are kept."""
    end = run(tmp_path, "echo first; head -c 67108864 /dev/zero; echo last")
    assert end.printed == 67108864 + 11
    assert len(end.output) < 256 * 1024
    assert end.output.startswith(b"first\n")
    assert end.output.endswith(b"last\n")
    assert b"bytes left out" in end.output


@pytest.mark.parametrize("chunk", [1, 7, 1000])
def test_short_output_is_kept_whole(chunk: int) -> None:
    """Whatever the pieces it came in."""
    keeper = OutputKeeper(tail_bytes=50_000)
    content = bytes(range(256)) * 300
    for start in range(0, len(content), chunk):
        keeper.add(content[start : start + chunk])
    assert keeper.build() == content


def test_only_the_given_environment_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Secrets of this session do not reach a command."""
    monkeypatch.setenv("SECRET_TOKEN", "x")
    assert b"SECRET_TOKEN" not in run(tmp_path, "env").output


def test_nothing_is_marked_by_chance() -> None:
    """A mark that nobody carries finds nobody."""
    assert find_marked("0" * 32) == []


def test_place_is_new_and_gone_afterwards() -> None:
    """A command may write there; nothing is left."""
    with offer_report_place() as place:
        assert not place.exists()
        place.write_bytes(b"<testsuite/>")
        assert read_report(place) == b"<testsuite/>"
    assert not place.parent.exists()


def test_report_that_nobody_can_read_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Missing, a folder, a link that leads elsewhere, or too large."""
    (tmp_path / "folder").mkdir()
    (tmp_path / "large").write_bytes(b"12345")
    (tmp_path / "link").symlink_to(tmp_path / "large")
    monkeypatch.setattr(report_files, "_MAX_BYTES", 4)
    assert [read_report(tmp_path / name) for name in ("absent", "folder", "link", "large")] == [None] * 4
    monkeypatch.setattr(report_files, "_MAX_BYTES", 5)
    assert read_report(tmp_path / "large") == b"12345"
