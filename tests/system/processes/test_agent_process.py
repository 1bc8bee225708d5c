from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from handoff_tui.system.processes.agent_process import start_agent
from handoff_tui.system.processes.identity import find_marked
from tests.support.stepping import wait_until

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
    """Found by their mark where they are no children of ours."""
    agent = start_agent(["/bin/sh", "-c", "setsid sleep 60 & sleep 60"], str(tmp_path), "m-5", f"{tmp_path}/out")
    wait_until(lambda: len(find_marked("m-5")) >= 3)
    agent.send(signal.SIGTERM)
    os.waitpid(agent.pid, 0)
    agent.code = -signal.SIGTERM
    wait_until(lambda: find_marked("m-5") == [])


def test_orphans_come_to_who_asked_for_them(tmp_path: Path) -> None:
    """Also with an empty environment and a session of their own; none is left in the end."""
    done = subprocess.run(
        [sys.executable, "-c", ORPHANS, str(tmp_path / "out")], capture_output=True, text=True, check=False, timeout=150
    )
    assert (done.stdout.split(), done.stderr) == (["5", "1", "0"], "")
