"""Processes that are started and left to themselves."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from handoff_tui.system.processes.detached import end_detached, has_ended, start_detached
from tests.support.procedure_engine import wait_until


def test_program_is_started_anew_with_its_words_in_a_file(tmp_path: Path) -> None:
    """It has no terminal and no standard input."""
    output = tmp_path / "words"
    pid = start_detached(["--version"], output)
    wait_until(lambda: has_ended(pid), "its end")
    end_detached(pid)
    assert output.read_text(encoding="utf-8").startswith("handoff-tui ")


def test_modules_of_the_folder_at_hand_are_not_imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A repository that plants a module under a known name has it run by nobody."""
    (tmp_path / "argparse.py").write_text(f"open({str(tmp_path / 'planted')!r}, 'w')\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    pid = start_detached(["--help"], tmp_path / "words")
    wait_until(lambda: has_ended(pid), "its end")
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
