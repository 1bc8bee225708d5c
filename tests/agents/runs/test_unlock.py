from __future__ import annotations

import pytest

from handoff_tui.agents.runs.phase_locks import find_lock_place, list_phase_locks, take_lock, unlock
from handoff_tui.agents.runs.run import RunKey
from handoff_tui.core.errors import PhaseLockedError, UsageError
from handoff_tui.handoffs.session import Desk, open_desk
from tests.support.repositories import RepositoryBuilder


@pytest.fixture
def desk(builder: RepositoryBuilder) -> Desk:
    return open_desk(builder.write("a").commit().folder)


def lock(desk: Desk, phase: str) -> None:
    take_lock(desk.repository.common_dir, RunKey(handoff="H-1", phase=phase), "ada@example.org")


def test_lock_that_was_left_behind_is_broken(desk: Desk) -> None:
    """The only one need not be named."""
    place = find_lock_place(desk.repository.common_dir, "RED")
    place.parent.mkdir(parents=True)
    place.write_text("{}", encoding="utf-8")
    assert unlock(desk, None).stale
    assert list_phase_locks(desk) == ()


def test_living_holder_keeps_its_lock_unless_forced(desk: Desk) -> None:
    """It is named; forcing is a request of its own."""
    lock(desk, "RED")
    with pytest.raises(PhaseLockedError, match=r"held by ada@example\.org"):
        unlock(desk, "red")
    assert not unlock(desk, "red", force=True).stale
    assert list_phase_locks(desk) == ()


def test_choice_between_locks_is_the_operators(desk: Desk) -> None:
    """And what is not locked cannot be unlocked."""
    with pytest.raises(UsageError, match="nothing is locked"):
        unlock(desk, None)
    lock(desk, "RED")
    lock(desk, "GREEN")
    with pytest.raises(UsageError, match="more than one"):
        unlock(desk, None)
    with pytest.raises(UsageError, match="PLAN is not locked") as refused:
        unlock(desk, "PLAN")
    assert "GREEN, RED" in refused.value.hint
