from __future__ import annotations

import os
import subprocess
import time

import pytest

from handoff_tui.system.processes import identity as process_identity
from handoff_tui.system.processes.identity import find_descendants, is_same_process, read_birth, read_host


def test_process_is_known_by_its_birth() -> None:
    """The same pid with another birth is another process."""
    birth = read_birth(os.getpid())
    assert birth is not None
    assert is_same_process(os.getpid(), birth)
    assert not is_same_process(os.getpid(), birth + "1")


def test_dead_process_has_no_birth() -> None:
    """Neither has one that nobody has waited for yet."""
    with subprocess.Popen(["true"]) as process:
        deadline = time.monotonic() + 10
        while read_birth(process.pid) is not None:
            assert time.monotonic() < deadline
            time.sleep(0.01)
    assert read_birth(process.pid) is None


def test_birth_can_be_asked_of_ps() -> None:
    """Where there is no /proc."""
    assert process_identity._ask_ps(os.getpid())
    assert process_identity._ask_ps(2**22 + 1) is None


def test_descendants_are_found_at_any_depth() -> None:
    """Children of children, but not the process itself."""
    with subprocess.Popen(["sh", "-c", "sh -c 'sleep 60; :' & wait"], start_new_session=True) as process:
        try:
            deadline = time.monotonic() + 10
            while len(find_descendants(process.pid)) < 2:
                assert time.monotonic() < deadline
                time.sleep(0.01)
            assert process.pid not in find_descendants(process.pid)
            assert process.pid in find_descendants(os.getpid())
        finally:
            os.killpg(process.pid, 9)


def test_host_has_a_name() -> None:
    """A pid means something on its own machine only."""
    assert read_host()


@pytest.mark.parametrize("pid", [2**22 + 1])
def test_process_that_never_was_has_no_descendants(pid: int) -> None:
    """Nothing, and no error."""
    assert find_descendants(pid) == []
