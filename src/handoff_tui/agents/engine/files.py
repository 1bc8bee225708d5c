"""The engine's files on this machine: its database, its log, and the lock of its worker."""

from __future__ import annotations

import fcntl
import json
import logging
import os
import sqlite3
import stat
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import Any

from handoff_tui.agents.procedures.report import WorkerView
from handoff_tui.agents.runs.folders import is_locked
from handoff_tui.core.errors import EngineError, WorkerPresentError
from handoff_tui.system.clock import read_now
from handoff_tui.system.files.atomic_write import build_write_error
from handoff_tui.system.files.git_private_files import LOCAL_FOLDER
from handoff_tui.system.processes.identity import read_host

DATABASE = "engine.sqlite"
WORKER_LOCK = "worker.lock"
ON_DEMAND_LOCK = "worker-on-demand.lock"
SCHEMA_LOCK = "engine.lock"
WORKER_LOG = "worker.log"
_LOG_BYTES = 1024 * 1024
_NOTE_BYTES = 1024
_FLAGS = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


def prepare_database(common_dir: Path) -> Path:
    """Returns the database file; makes it if it is missing, for its owner only, and refuses a link."""
    place = find_engine_file(common_dir, DATABASE)
    try:
        place.parent.mkdir(exist_ok=True, mode=0o700)
        descriptor = os.open(place, _FLAGS, 0o600)
        try:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise EngineError(f"{place} is not a regular file", "Move it aside; it is made again.")
        finally:
            os.close(descriptor)
    except OSError as refused:
        raise build_write_error(refused, str(place)) from refused
    write_ahead(place)
    return place


def write_ahead(place: Path) -> None:
    """Turns on write-ahead logging, so readers and the writer don't block each other: half the time for fifty runs.

    If the file system can't do it, or the file isn't a database, the engine says so itself.
    """
    with suppress(sqlite3.Error), closing(sqlite3.connect(place, timeout=1.0)) as connection:
        connection.execute("PRAGMA journal_mode=WAL")


def find_engine_file(common_dir: Path, name: str) -> Path:
    return common_dir / LOCAL_FOLDER / name


def has_database(common_dir: Path) -> bool:
    """Tells whether procedures have ever run here."""
    return find_engine_file(common_dir, DATABASE).is_file()


@contextmanager
def hold_schema_lock(common_dir: Path) -> Iterator[None]:
    """Lets one process at a time make or update the engine's tables."""
    descriptor = _open_lock(common_dir, SCHEMA_LOCK)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


@contextmanager
def hold_worker_lock(common_dir: Path, name: str = WORKER_LOCK) -> Iterator[None]:
    """Holds the lock while the worker runs; it is released when the process ends, however that happens."""
    descriptor = _open_lock(common_dir, name)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as held:
            raise WorkerPresentError(
                f"this repository already has a worker{_read_holder(descriptor)}",
                "Two would run steps twice. Stop that one first, or leave the work to it.",
            ) from held
        os.ftruncate(descriptor, 0)
        note = json.dumps({"pid": os.getpid(), "host": read_host(), "since": read_now().timestamp()})
        os.pwrite(descriptor, note.encode(), 0)
        yield
    finally:
        os.close(descriptor)


def has_worker(common_dir: Path, name: str = WORKER_LOCK) -> bool:
    """Tells whether a worker holds the lock."""
    return is_locked(find_engine_file(common_dir, name))


def build_log_handler(common_dir: Path) -> logging.Handler:
    """Returns the handler for the log of the worker and the engine; its size is limited."""
    place = find_engine_file(common_dir, WORKER_LOG)
    place.parent.mkdir(exist_ok=True, mode=0o700)
    handler = RotatingFileHandler(place, maxBytes=_LOG_BYTES, backupCount=1, encoding="utf-8", delay=True)
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
    handler.setLevel(logging.WARNING)
    return handler


def _open_lock(common_dir: Path, name: str) -> int:
    place = find_engine_file(common_dir, name)
    try:
        place.parent.mkdir(exist_ok=True, mode=0o700)
        return os.open(place, _FLAGS, 0o600)
    except OSError as refused:
        raise build_write_error(refused, str(place)) from refused


def _read_holder(descriptor: int) -> str:
    note = _parse_note(os.pread(descriptor, _NOTE_BYTES, 0))
    return f" (process {note['pid']})" if isinstance(note.get("pid"), int) else ""


def read_workers(common_dir: Path) -> tuple[WorkerView, ...]:
    """Returns the worker that holds the lock of this repository, with what it noted there; at most one."""
    if not has_worker(common_dir):
        return ()
    try:
        note = _parse_note(find_engine_file(common_dir, WORKER_LOCK).read_bytes()[:_NOTE_BYTES])
    except OSError:
        note = {}
    pid, since = note.get("pid"), note.get("since")
    return (
        WorkerView(
            name="embedded",
            host=str(note.get("host", "")),
            pid=pid if isinstance(pid, int) else None,
            since=since if isinstance(since, float) else None,
        ),
    )


def _parse_note(content: bytes) -> dict[str, Any]:
    try:
        note = json.loads(content)
    except ValueError:
        return {}
    return note if isinstance(note, dict) else {}
