"""Identifies processes: a pid together with its start time; descendants by their parents, or by a mark.

Imports only the lightest part of the standard library: an agent's supervisor uses it and must start quickly.
"""
# importing pathlib takes longer than everything done here
# ruff: noqa: PTH110, PTH123, PTH208

from __future__ import annotations

import os

MARK = "HANDOFF_TUI_RUN"
"""The variable that marks everything a command starts."""
_PROC = "/proc"
_STATE, _PARENT, _BIRTH = 0, 1, 19
"""Fields of /proc/<pid>/stat, counted after the name."""
_DEAD = frozenset({"Z", "X"})


def read_birth(pid: int) -> str | None:
    """Returns when a living process started, as the system counts; None if there is no such process."""
    if not os.path.exists(f"{_PROC}/self"):
        return _ask_ps(pid)
    fields = _read_fields(pid)
    if fields is None or fields[_STATE] in _DEAD:
        return None
    return f"{_read_boot()}:{fields[_BIRTH]}"


def is_same_process(pid: int, birth: str) -> bool:
    """Tells whether this very process is still alive: pids are reused."""
    return read_birth(pid) == birth


def is_living(pid: int) -> bool:
    """Tells whether a process is alive; a zombie is dead, its parent just hasn't noticed."""
    fields = _read_fields(pid)
    return fields is not None and fields[_STATE] not in _DEAD


def read_host() -> str:
    return os.uname().nodename


def find_descendants(pid: int) -> list[int]:
    """Returns living processes below one, at any depth (Linux; elsewhere none are known)."""
    children: dict[int, list[int]] = {}
    for other in _list_processes():
        fields = _read_fields(other)
        if fields is not None and fields[_STATE] not in _DEAD:
            children.setdefault(int(fields[_PARENT]), []).append(other)
    found: list[int] = []
    below = children.get(pid, [])
    while below:
        found += below
        below = [child for one in below for child in children.get(one, ())]
    return found


def find_marked(mark: str) -> list[int]:
    """Returns living processes with a mark in their environment (Linux; elsewhere only the session is known)."""
    wanted = f"{MARK}={mark}".encode()
    found: list[int] = []
    for pid in _list_processes():
        try:
            with open(f"{_PROC}/{pid}/environ", "rb") as file:
                is_marked = wanted in file.read().split(b"\0")
        except OSError:
            continue  # gone in the meantime, or another user's
        if is_marked and is_living(pid):
            found.append(pid)
    return found


def _list_processes() -> list[int]:
    try:
        return [int(name) for name in os.listdir(_PROC) if name.isdigit()]
    except OSError:
        return []


def _read_fields(pid: int) -> list[str] | None:
    """Returns what follows the name in /proc/<pid>/stat; the name itself may contain anything."""
    try:
        with open(f"{_PROC}/{pid}/stat", encoding="ascii", errors="replace") as file:
            return file.read().rpartition(")")[2].split()
    except OSError:
        return None


def _read_boot() -> str:
    try:
        with open(f"{_PROC}/sys/kernel/random/boot_id", encoding="ascii") as file:
            return file.read().strip()
    except OSError:
        return ""


def _ask_ps(pid: int) -> str | None:
    import subprocess  # noqa: PLC0415 - for systems without /proc

    asked = ["/bin/ps", "-o", "lstart=", "-p", str(pid)]
    try:
        answer = subprocess.run(asked, capture_output=True, check=False, env={"LC_ALL": "C"}, timeout=10)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return os.fsdecode(answer.stdout).strip() or None
