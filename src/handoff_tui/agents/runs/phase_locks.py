"""The lock of a handoff's phase: one agent at a time. A dead holder's lock stays until it is broken."""

from __future__ import annotations

import os
import uuid
from pathlib import Path
from urllib.parse import unquote

from handoff_tui.agents.runs.files import write_json
from handoff_tui.agents.runs.folders import build_name
from handoff_tui.agents.runs.run import LockState, PhaseLock, RunKey
from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.errors import PhaseLockedError, UsageError
from handoff_tui.system.clock import read_now
from handoff_tui.system.files.atomic_write import build_write_error
from handoff_tui.system.files.git_private_files import LOCAL_FOLDER
from handoff_tui.system.processes.identity import is_same_process, read_birth, read_host

_FOLDER = "locks"
_SUFFIX = ".json"
_OTHER_MACHINE_SECONDS = 300.0
"""Clocks of two machines differ, so a holder elsewhere counts as stale later."""


def find_lock_place(common_dir: Path, key: RunKey) -> Path:
    folder = common_dir / LOCAL_FOLDER / _FOLDER / build_name(key.handoff)
    return folder / f"{build_name(key.phase.casefold())}{_SUFFIX}"


class HeldLock(NamedTuple):
    """A lock that was taken: its file, and the mark by which its holder recognises it."""

    place: Path
    mark: str


def take_lock(common_dir: Path, key: RunKey, owner: str, mark: str | None = None) -> HeldLock:
    """Takes the lock of a phase, or says who holds it; does not take over a lock that was left behind.

    Whoever names a `mark` gets back the lock that it had taken before it died.
    """
    is_own = mark is not None
    mark = mark or uuid.uuid4().hex
    place = find_lock_place(common_dir, key)
    lock = PhaseLock(
        phase=key.phase,
        handoff=key.handoff,
        attempt=key.attempt,
        owner=owner,
        pid=os.getpid(),
        started=read_birth(os.getpid()) or "",
        host=read_host(),
        since=read_now().timestamp(),
        mark=mark,
    )
    temporary = place.with_name(f".{mark}")
    try:
        place.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        write_json(temporary, lock.model_dump(mode="json"))
        try:
            known = find_lock(common_dir, key) if is_own else None
            if known is not None and known.stale and known.lock.mark == mark:
                temporary.replace(place)
            else:
                place.hardlink_to(temporary)
        except FileExistsError:
            raise _build_locked_error(find_lock(common_dir, key), key) from None
        finally:
            temporary.unlink(missing_ok=True)
    except OSError as refused:
        raise build_write_error(refused, str(place)) from refused
    return HeldLock(place, mark)


def release_lock(held: HeldLock) -> None:
    """Gives a lock back, if it is still the one that was taken."""
    lock = _load(held.place)
    if lock is not None and lock.mark == held.mark:
        held.place.unlink(missing_ok=True)


def find_lock(common_dir: Path, key: RunKey) -> LockState | None:
    """Finds the lock of a handoff's phase, and whether its holder is alive; None if the phase is free."""
    return _read_state(find_lock_place(common_dir, key))


def list_locks(common_dir: Path) -> tuple[LockState, ...]:
    """Lists every lock of a repository."""
    places = sorted((common_dir / LOCAL_FOLDER / _FOLDER).glob(f"*/*{_SUFFIX}"))
    return tuple(state for place in places if (state := _read_state(place)) is not None)


def describe_holder(state: LockState) -> str:
    """Says who holds a lock."""
    lock = state.lock
    return f"{lock.owner} (process {lock.pid} on {lock.host}) for {lock.handoff}, attempt {lock.attempt}"


def _read_state(place: Path) -> LockState | None:
    lock = _load(place)
    if lock is None:
        return None
    try:
        heartbeat = place.stat().st_mtime
    except OSError:
        return None
    age = max(0.0, read_now().timestamp() - heartbeat)
    if lock.host != read_host():
        alive, stale = None, age > _OTHER_MACHINE_SECONDS
    else:
        alive = is_same_process(lock.pid, lock.started)
        stale = not alive
    return LockState(lock=lock, heartbeat=heartbeat, age_seconds=age, alive=alive, stale=stale)


def _load(place: Path) -> PhaseLock | None:
    """Loads a lock; a damaged file still locks, but nobody knows who holds it."""
    try:
        content = place.read_bytes()
    except FileNotFoundError:
        return None
    except OSError:
        content = b""
    try:
        return PhaseLock.model_validate_json(content)
    except ValueError:
        return PhaseLock(phase=place.name.removesuffix(_SUFFIX), handoff=unquote(place.parent.name), host=read_host())


def _build_locked_error(state: LockState | None, key: RunKey) -> PhaseLockedError:
    phase = key.phase
    if state is None:
        return PhaseLockedError(f"{phase} was locked until just now", "Try again.")
    holder = describe_holder(state)
    if state.stale:
        return PhaseLockedError(
            f"the lock of {phase} was left behind by {holder}",
            f"See if its work is worth keeping, then: handoff-tui unlock {phase} --handoff {key.handoff}",
        )
    return PhaseLockedError(
        f"{phase} is locked by {holder}",
        "Wait for it, or follow it: handoff-tui step --list. Its operator can stop it: handoff-tui step --stop",
    )


def unlock(common_dir: Path, phase: str | None, handoff: str | None = None, *, force: bool = False) -> LockState:
    """Breaks the lock of a phase, or the only lock; only with `force` if its holder is alive."""
    locks = list_locks(common_dir)
    wanted = [
        state for state in locks
        if (phase is None or state.lock.phase.casefold() == phase.casefold())
        and (handoff is None or state.lock.handoff == handoff)
    ]  # fmt: skip
    if not wanted:
        held = ", ".join(_name(state) for state in locks)
        message = f"{phase} is not locked" if phase else "no phase is locked"
        raise UsageError(message, f"Locked phases: {held}." if held else "")
    if len(wanted) > 1:
        named = ", ".join(_name(state) for state in wanted)
        raise UsageError("more than one phase is locked", f"Name one with PHASE and --handoff ID: {named}.")
    state = wanted[0]
    if not state.stale and not force:
        raise PhaseLockedError(
            f"{state.lock.phase} is held by {describe_holder(state)}, who is still at work",
            "Stop the agent first: handoff-tui step --stop. --force breaks the lock anyway.",
        )
    find_lock_place(common_dir, RunKey(handoff=state.lock.handoff, phase=state.lock.phase)).unlink(missing_ok=True)
    return state


def _name(state: LockState) -> str:
    return f"{state.lock.phase} of {state.lock.handoff}"
