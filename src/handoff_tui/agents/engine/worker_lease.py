"""Which worker this is. No two living workers may have one name: they would do each other's steps again.

Beside a database file the worker's lock sees to it that there is one. On PostgreSQL a name is an advisory lock,
held by a connection: it ends with the worker, and then another one may take over what it left.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from typing import Protocol

from handoff_tui.core.errors import EngineError

_MOST_WORKERS = 1000
_CONNECT_SECONDS = 10


class Lease(Protocol):
    """The name of a worker, for as long as it is its own."""

    executor: str

    def check(self) -> None:
        """An error when the name may be another's by now: this worker must end at once."""
        ...

    def hold_dead(self, executor: str) -> AbstractContextManager[bool]:
        """Holds the name of another worker, if it is dead; inside, nobody else has it."""
        ...


class OnlyWorker:
    """The one worker beside a database file."""

    executor = "embedded"

    def check(self) -> None:
        """The lock of the worker's file is held by the process."""

    @contextmanager
    def hold_dead(self, executor: str) -> Iterator[bool]:
        """There is no other worker, and what it left is taken up when this one starts."""
        del executor
        yield False


class SharedLease:
    """One of many workers on a PostgreSQL database."""

    def __init__(self, address: str, application: str) -> None:
        import psycopg.conninfo  # noqa: PLC0415 - an extra

        self._refused = psycopg.Error
        self._application = application
        try:
            plain = address.replace("postgresql+psycopg://", "postgresql://", 1)
            details = psycopg.conninfo.make_conninfo(
                plain, connect_timeout=_CONNECT_SECONDS, keepalives_idle=5, keepalives_interval=2, keepalives_count=3
            )
            self._connection = psycopg.connect(details, autocommit=True)
        except psycopg.Error as refused:
            raise EngineError(
                f"the PostgreSQL database cannot be reached: {str(refused).strip()}",
                "Look at engine.address in your configuration, and whether the server runs.",
            ) from refused
        for setting, seconds in (
            ("idle", 5),
            ("interval", 2),
            ("count", 3),
        ):  # or a dead machine keeps its name for hours
            self._connection.execute(f"SET tcp_keepalives_{setting} = {seconds}")
        self.executor = self._take_name()

    def check(self) -> None:
        try:
            self._connection.execute("SELECT true")
        except self._refused as lost:
            raise EngineError(
                f"the connection that holds this worker's name is lost: {str(lost).strip()}",
                "Start the worker again; what it was doing is taken up where it was.",
            ) from lost

    @contextmanager
    def hold_dead(self, executor: str) -> Iterator[bool]:
        held = self._lock(executor)
        try:
            yield held
        finally:
            if held:
                with suppress(self._refused):  # a lost connection holds nothing
                    self._connection.execute("SELECT pg_advisory_unlock(%s)", (self._build_key(executor),))

    def close(self) -> None:
        self._connection.close()

    def _take_name(self) -> str:
        """The first that nobody has; a worker that comes after a dead one takes its name, and its runs with it."""
        for number in range(1, _MOST_WORKERS):
            if self._lock(f"worker-{number}"):
                return f"worker-{number}"
        raise EngineError(f"{_MOST_WORKERS} workers are at work already")

    def _lock(self, executor: str) -> bool:
        row = self._connection.execute("SELECT pg_try_advisory_lock(%s)", (self._build_key(executor),)).fetchone()
        return bool(row and row[0])

    def _build_key(self, executor: str) -> int:
        digest = hashlib.sha256(f"handoff-tui {self._application} {executor}".encode()).digest()
        return int.from_bytes(digest[:8], "big", signed=True)
