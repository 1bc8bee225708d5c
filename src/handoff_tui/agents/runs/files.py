"""The files of a run: their names, how they are written, and the digest of an output while it grows.

Imports only the lightest part of the standard library: the supervisor of an agent uses it, and starts quickly.
"""
# importing pathlib takes longer than all that is done here
# ruff: noqa: PTH105, PTH118, PTH123

from __future__ import annotations

import json
import os

PLAN, PROCESS, EXIT, OUTPUT, HEARTBEAT, LOCK, PAUSED, STOP, COMPLAINTS = (
    *("plan.json", "process.json", "exit.json", "output.log", "heartbeat", "run.lock", "paused", "stop.json"),
    "supervisor.log",
)
"""The names of the files in a run's folder."""
_HASHED_AT_ONCE = 8 * 1024 * 1024
_PART = 1 << 20


class OutputHash:
    """The SHA-256 of a file while it grows: what was printed counts, even if it is taken away again."""

    def __init__(self, place: str | os.PathLike[str]) -> None:
        import hashlib  # noqa: PLC0415 - loaded while the agent is at work already

        self.place = place
        self.digest = hashlib.sha256()
        self.hashed = 0
        self.size = 0
        self.rewritten = False

    def read_some(self) -> bool:
        """Hashes a part of what is new; whether there is more."""
        try:
            with open(self.place, "rb", buffering=0) as file:
                self.size = os.fstat(file.fileno()).st_size
                self.rewritten = self.rewritten or self.size < self.hashed
                file.seek(self.hashed)
                left = _HASHED_AT_ONCE
                while left > 0 and (part := file.read(min(left, _PART))):
                    self.digest.update(part)
                    self.hashed += len(part)
                    left -= len(part)
        except OSError:
            self.rewritten = self.rewritten or self.hashed > 0
            return False
        return self.size > self.hashed

    def read_rest(self) -> None:
        while self.read_some():
            pass


def write_json(place: str | os.PathLike[str], value: dict[str, object], *, lasting: bool = False) -> None:
    """In one step: a reader sees all of it or nothing. A lasting one survives a power cut."""
    folder, name = os.path.split(os.fspath(place))
    temporary = os.path.join(folder, f".{name}.{os.getpid()}")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        json.dump(value, file)
        if lasting:
            file.flush()
            os.fsync(descriptor)
    os.replace(temporary, place)


def read_json(place: str | os.PathLike[str]) -> dict[str, object]:
    """The object in a file of ours, an empty one for any other value; an error where the file cannot be read."""
    with open(place, "rb") as file:
        value = json.loads(file.read())
    return value if isinstance(value, dict) else {}
