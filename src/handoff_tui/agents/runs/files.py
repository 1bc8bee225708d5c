"""The files of a run: their names, how they are written, and the digest of an output while it grows.

Imports only the lightest part of the standard library, so that the supervisor of an agent starts quickly.
"""
# importing pathlib takes longer than everything done here
# ruff: noqa: PTH105, PTH118, PTH123

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from handoff_tui.agents.runs.listening import StreamListener

PLAN, PROCESS, EXIT, OUTPUT, HEARTBEAT, LOCK, PAUSED, STOP, COMPLAINTS = (
    *("plan.json", "process.json", "exit.json", "output.log", "heartbeat", "run.lock", "paused", "stop.json"),
    "supervisor.log",
)
PROMPT, MESSAGES, TRANSCRIPT = "prompt.md", "messages.jsonl", "transcript.txt"
"""The names of the files in a run's folder."""
_HASHED_AT_ONCE = 8 * 1024 * 1024
_PART = 1 << 20


class OutputHash:
    """The SHA-256 of a file while it grows; counts what was printed, even if it is removed again."""

    def __init__(self, place: str | os.PathLike[str], listener: StreamListener | None = None) -> None:
        import hashlib  # noqa: PLC0415 - loaded when the agent is already running

        self.place = place
        self.listener = listener
        self.digest = hashlib.sha256()
        self.hashed = 0
        self.size = 0
        self.rewritten = False

    def read_some(self) -> bool:
        """Hashes some of what is new; tells whether there is more."""
        try:
            with open(self.place, "rb", buffering=0) as file:
                self.size = os.fstat(file.fileno()).st_size
                self.rewritten = self.rewritten or self.size < self.hashed
                file.seek(self.hashed)
                left = _HASHED_AT_ONCE
                while left > 0 and (part := file.read(min(left, _PART))):
                    self.digest.update(part)
                    self.hashed += len(part)
                    if self.listener is not None:
                        self.listener.hear(part)
                    left -= len(part)
        except OSError:
            self.rewritten = self.rewritten or self.hashed > 0
            return False
        return self.size > self.hashed

    def read_rest(self) -> None:
        while self.read_some():
            pass


def write_json(place: str | os.PathLike[str], value: dict[str, object]) -> None:
    """Writes in one step: a reader sees all or nothing."""
    _replace(place, json.dumps(value).encode())


def write_sealed(
    place: str | os.PathLike[str], value: dict[str, object], secret: bytes, *, lasting: bool = False
) -> None:
    """The same with a seal, so that the agent can't write it. With `lasting`, the file survives a power cut."""
    from handoff_tui.system.files.sealed_files import find_name, seal  # noqa: PLC0415 - when the agent is running

    _replace(place, seal(json.dumps(value).encode(), find_name(place), secret), lasting=lasting)


def _replace(place: str | os.PathLike[str], content: bytes, *, lasting: bool = False) -> None:
    folder, name = os.path.split(os.fspath(place))
    temporary = os.path.join(folder, f".{name}.{os.getpid()}")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)
        if lasting:
            file.flush()
            os.fsync(descriptor)
    os.replace(temporary, place)


def read_json(place: str | os.PathLike[str]) -> dict[str, object]:
    """Returns the object in one of our files, {} for any other value; raises an error if it can't be read.

    Whether a seal is right is the business of whoever believes the file.
    """
    with open(place, "rb") as file:
        value = json.loads(file.read().partition(b"\n# seal ")[0])
    return value if isinstance(value, dict) else {}
