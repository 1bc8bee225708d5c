"""Identifies processes: a pid together with its start time; descendants by their parents, or by a mark.

Imports only the lightest part of the standard library: an agent's supervisor uses it and must start quickly.
"""
# importing pathlib takes longer than everything done here
# ruff: noqa: PTH110, PTH116, PTH123, PTH208

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


def read_parent(pid: int) -> int:
    """Returns the process that started one, or took it over; 0 if there is none, or it isn't known."""
    fields = _read_fields(pid)
    return 0 if fields is None else int(fields[_PARENT])


def read_environment(pid: int) -> dict[str, str]:
    """Returns the variables a process was started with (Linux); empty if they can't be read."""
    try:
        with open(f"{_PROC}/{pid}/environ", "rb") as file:
            pairs = [os.fsdecode(pair).partition("=") for pair in file.read().split(b"\0")]
    except OSError:
        return {}
    return {name: value for name, _, value in pairs if name}


def list_processes(user: int) -> list[int]:
    """Returns the processes of a user, oldest number first (Linux)."""
    try:
        pids = sorted(int(name) for name in os.listdir(_PROC) if name.isdigit())
    except OSError:
        return []
    return [pid for pid in pids if _read_user(pid) == user]


def _read_user(pid: int) -> int | None:
    try:
        return os.stat(f"{_PROC}/{pid}").st_uid
    except OSError:
        return None


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
    return [pid for pid in _list_processes() if read_environment(pid).get(MARK) == mark and is_living(pid)]


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
