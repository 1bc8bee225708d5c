from __future__ import annotations

import errno
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from handoff_tui.core.errors import LogLockedError, StoredFileDamagedError, StoreWriteError
from handoff_tui.log.storage.lock import LogLock
from handoff_tui.system.files.git_private_files import GitPrivateFolder
from tests.support.failing_calls import FailingCalls, fail_at

HOLDER = """
import sys
from pathlib import Path
from handoff_tui.system.files.git_private_files import GitPrivateFolder
from handoff_tui.log.storage.lock import LogLock
with LogLock(GitPrivateFolder(Path(sys.argv[1]))).hold():
    print("held", flush=True)
    sys.stdin.read()
"""


def build_lock(folder: Path, timeout: float = 0.05) -> LogLock:
    return LogLock(GitPrivateFolder(folder), timeout)


def test_lock_is_for_one_at_a_time(tmp_path: Path) -> None:
    """While it is held nobody else gets it, not even in the same process; afterwards they do."""
    with build_lock(tmp_path).hold(), pytest.raises(LogLockedError), build_lock(tmp_path).hold():
        pass
    with build_lock(tmp_path).hold():
        pass


def test_holder_in_another_process_is_named_and_its_death_frees_the_lock(tmp_path: Path) -> None:
    """The error says who holds it; after kill -9 the lock is free at once."""
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        with pytest.raises(LogLockedError) as refused, build_lock(tmp_path).hold():
            pass
        assert f"process {holder.pid} on {socket.gethostname()}" in refused.value.message
        holder.send_signal(signal.SIGKILL)
        holder.wait()
        with build_lock(tmp_path).hold():
            pass


def test_waiting_ends_when_the_holder_is_done(tmp_path: Path) -> None:
    """Who waits gets the lock without asking again."""
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdin is not None
        assert holder.stdout.readline() == b"held\n"
        holder.stdin.close()
        with build_lock(tmp_path, timeout=150).hold():
            pass


def test_lock_that_was_deleted_while_held_is_not_trusted(tmp_path: Path) -> None:
    """The file that is locked must be the one that others find."""
    lock = tmp_path / "handoff-tui/lock"
    with build_lock(tmp_path).hold():
        lock.unlink()
        with build_lock(tmp_path).hold():
            with pytest.raises(LogLockedError), build_lock(tmp_path).hold():
                pass
            assert lock.exists()


def test_error_inside_frees_the_lock(tmp_path: Path) -> None:
    """Whatever happens, it is given back."""
    with pytest.raises(ZeroDivisionError), build_lock(tmp_path).hold():
        _ = 1 // 0
    with build_lock(tmp_path).hold():
        pass


def test_linked_lock_is_not_followed(tmp_path: Path) -> None:
    """A link in the place of the lock or its folder is refused, and nothing is written where it leads."""
    (tmp_path / "handoff-tui").mkdir()
    (tmp_path / "handoff-tui/lock").symlink_to(tmp_path / "away")
    with pytest.raises(StoreWriteError), build_lock(tmp_path).hold():
        pass
    assert not (tmp_path / "away").exists()
    (tmp_path / "other").mkdir()
    (tmp_path / "other/handoff-tui").symlink_to(tmp_path)
    with pytest.raises(StoredFileDamagedError), build_lock(tmp_path / "other").hold():
        pass


def test_missing_folder_is_told(tmp_path: Path) -> None:
    """There is no repository to lock."""
    with pytest.raises(StoreWriteError), build_lock(tmp_path / "nothing").hold():
        pass


def test_holder_keeps_no_descriptor_open_for_children(tmp_path: Path) -> None:
    """A program started under the lock does not hold it on."""
    with build_lock(tmp_path).hold():
        child = subprocess.Popen(["sleep", "30"])
    try:
        with build_lock(tmp_path).hold():
            assert os.getpid()
    finally:
        child.kill()
        child.wait()


def test_failure_on_the_way_does_not_keep_the_lock(tmp_path: Path) -> None:
    """Whichever call fails while the lock is taken, it is not held on by a descriptor that nobody knows."""
    with build_lock(tmp_path).hold():
        pass
    counting = FailingCalls()
    with LogLock(GitPrivateFolder(tmp_path, counting)).hold():
        pass
    for place, name in enumerate(counting.made, start=1):
        lock = LogLock(GitPrivateFolder(tmp_path, fail_at(place, errno.EIO)))
        if name == "close":  # of a folder that was only looked at
            with lock.hold():
                pass
        else:
            with pytest.raises(StoreWriteError), lock.hold():
                pass
        with build_lock(tmp_path).hold():
            pass
