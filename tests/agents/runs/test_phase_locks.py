from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from handoff_tui.agents.runs.phase_locks import (
    describe_holder,
    find_lock,
    find_lock_place,
    list_locks,
    release_lock,
    take_lock,
    unlock,
)
from handoff_tui.agents.runs.run import RunKey
from handoff_tui.core.errors import PhaseLockedError, StoreWriteError, UsageError

KEY = RunKey(handoff="H-1", phase="GREEN", attempt=2)


def change(folder: Path, **changes: object) -> None:
    place = find_lock_place(folder, KEY.phase)
    place.write_text(json.dumps(json.loads(place.read_bytes()) | changes), encoding="utf-8")


def test_lock_names_its_holder(tmp_path: Path) -> None:
    """Owner, pid, host, since when; it is alive while the process is."""
    take_lock(tmp_path, KEY, "ada@example.org")
    state = find_lock(tmp_path, "GREEN")
    assert state is not None
    assert (state.lock.owner, state.lock.pid, state.alive, state.stale) == ("ada@example.org", os.getpid(), True, False)
    assert "ada@example.org" in describe_holder(state)
    assert [one.lock for one in list_locks(tmp_path)] == [state.lock]


def test_second_operator_sees_who_holds_it(tmp_path: Path) -> None:
    """In any spelling of the phase; another phase is free."""
    take_lock(tmp_path, KEY, "ada@example.org")
    with pytest.raises(PhaseLockedError, match=r"locked by ada@example\.org"):
        take_lock(tmp_path, KEY.model_copy(update={"phase": "green"}), "bo@example.org")
    take_lock(tmp_path, KEY.model_copy(update={"phase": "RED"}), "bo@example.org")


def test_lock_that_was_left_behind_is_not_taken_over(tmp_path: Path) -> None:
    """Only a request breaks it."""
    with subprocess.Popen(["true"]) as gone:
        pass
    take_lock(tmp_path, KEY, "ada@example.org")
    change(tmp_path, pid=gone.pid)
    state = find_lock(tmp_path, "GREEN")
    assert state is not None
    assert (state.alive, state.stale) == (False, True)
    with pytest.raises(PhaseLockedError, match="left behind") as refused:
        take_lock(tmp_path, KEY, "bo@example.org")
    assert "unlock GREEN" in refused.value.hint
    assert unlock(tmp_path, None).stale
    take_lock(tmp_path, KEY, "bo@example.org")


def test_holder_on_another_machine_is_judged_by_its_signs(tmp_path: Path) -> None:
    """Whether it is alive cannot be told; long silence makes it stale."""
    take_lock(tmp_path, KEY, "ada@example.org")
    change(tmp_path, host="elsewhere")
    state = find_lock(tmp_path, "GREEN")
    assert state is not None
    assert (state.alive, state.stale) == (None, False)
    os.utime(find_lock_place(tmp_path, "GREEN"), (0, 0))
    state = find_lock(tmp_path, "GREEN")
    assert state is not None
    assert state.stale


def test_lock_is_given_back_by_its_holder_alone(tmp_path: Path) -> None:
    """Not when it was broken and taken by somebody else meanwhile."""
    first = take_lock(tmp_path, KEY, "ada@example.org")
    unlock(tmp_path, "GREEN", force=True)
    second = take_lock(tmp_path, KEY, "bo@example.org")
    release_lock(first)
    assert find_lock(tmp_path, "GREEN") is not None
    release_lock(second)
    assert find_lock(tmp_path, "GREEN") is None


@pytest.mark.parametrize("content", ["", "{", "[]", '{"phase": 3}'])
def test_damaged_lock_still_locks(tmp_path: Path, content: str) -> None:
    """By somebody; it is stale and can be broken."""
    place = find_lock_place(tmp_path, "GREEN")
    place.parent.mkdir(parents=True)
    place.write_text(content, encoding="utf-8")
    with pytest.raises(PhaseLockedError, match="left behind by somebody"):
        take_lock(tmp_path, KEY, "ada@example.org")


def test_lock_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    """With the words of the system."""
    (tmp_path / "handoff-tui").write_text("in the way", encoding="utf-8")
    with pytest.raises(StoreWriteError):
        take_lock(tmp_path, KEY, "ada@example.org")


def test_own_lock_of_a_life_before_is_found_again(tmp_path: Path) -> None:
    """Who names its mark takes over what it left when it died; a living holder keeps it, and so does another mark."""
    take_lock(tmp_path, KEY, "the procedure P", "mine")
    with pytest.raises(PhaseLockedError):
        take_lock(tmp_path, KEY, "the procedure P", "mine")
    change(tmp_path, started="another process")
    with pytest.raises(PhaseLockedError, match="left behind"):
        take_lock(tmp_path, KEY, "the procedure P", "other")
    held = take_lock(tmp_path, KEY, "the procedure P", "mine")
    assert [(one.lock.mark, one.stale) for one in list_locks(tmp_path)] == [("mine", False)]
    release_lock(held)
    assert list_locks(tmp_path) == ()


def test_living_holder_keeps_its_lock_unless_forced(tmp_path: Path) -> None:
    """It is named; the only lock need not be."""
    take_lock(tmp_path, KEY, "ada@example.org")
    with pytest.raises(PhaseLockedError, match=r"held by ada@example\.org"):
        unlock(tmp_path, "green")
    assert not unlock(tmp_path, None, force=True).stale
    assert list_locks(tmp_path) == ()


def test_choice_between_locks_is_the_operators(tmp_path: Path) -> None:
    """And what is not locked cannot be unlocked."""
    with pytest.raises(UsageError, match="no phase is locked"):
        unlock(tmp_path, None)
    for phase in ("RED", "GREEN"):
        take_lock(tmp_path, RunKey(handoff="H-1", phase=phase), "ada@example.org")
    with pytest.raises(UsageError, match="more than one"):
        unlock(tmp_path, None)
    with pytest.raises(UsageError, match="PLAN is not locked") as refused:
        unlock(tmp_path, "PLAN")
    assert "GREEN, RED" in refused.value.hint
