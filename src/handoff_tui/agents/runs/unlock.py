"""Locks of phases: shown with their holders, and broken only because somebody asked for it."""

from __future__ import annotations

from handoff_tui.agents.runs.phase_locks import break_lock, describe_holder, list_locks
from handoff_tui.agents.runs.run import LockState
from handoff_tui.core.errors import PhaseLockedError, UsageError
from handoff_tui.handoffs.session import Desk


def list_phase_locks(desk: Desk) -> tuple[LockState, ...]:
    return list_locks(desk.repository.common_dir)


def unlock(desk: Desk, phase: str | None, *, force: bool = False) -> LockState:
    """Breaks the lock of a phase, or the only one there is; a living holder keeps it, unless it is forced."""
    locks = list_phase_locks(desk)
    wanted = [state for state in locks if phase is None or state.lock.phase.casefold() == phase.casefold()]
    if not wanted:
        named = f"{phase} is not locked" if phase else "nothing is locked here"
        held = ", ".join(state.lock.phase for state in locks)
        raise UsageError(named, f"Locked are: {held}." if held else "")
    if len(wanted) > 1:
        raise UsageError(
            "more than one phase is locked", f"Name one of: {', '.join(state.lock.phase for state in wanted)}."
        )
    state = wanted[0]
    if not state.stale and not force:
        raise PhaseLockedError(
            f"{state.lock.phase} is held by {describe_holder(state)}, who is at work",
            "Stop the agent first: handoff-tui step --stop. With --force the lock is broken all the same.",
        )
    break_lock(desk.repository.common_dir, state.lock.phase)
    return state
