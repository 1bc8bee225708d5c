"""The engine's files beside git's own."""

from __future__ import annotations

import logging
import sqlite3
import stat
from contextlib import closing
from pathlib import Path

import pytest

from handoff_tui.agents.engine.files import (
    ON_DEMAND_LOCK,
    build_log_handler,
    find_engine_file,
    has_database,
    has_worker,
    hold_schema_lock,
    hold_worker_lock,
    prepare_database,
)
from handoff_tui.core.errors import HandoffError, WorkerPresentError


def test_database_is_its_owners_alone_and_writes_ahead(tmp_path: Path) -> None:
    """It is made once, where git keeps its own files."""
    assert not has_database(tmp_path)
    place = prepare_database(tmp_path)
    assert place == tmp_path / "handoff-tui" / "engine.sqlite"
    assert stat.S_IMODE(place.stat().st_mode) == 0o600
    with closing(sqlite3.connect(place)) as connection:
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    assert (prepare_database(tmp_path), has_database(tmp_path)) == (place, True)


def test_link_in_the_place_of_the_database_is_refused(tmp_path: Path) -> None:
    """What it leads to is neither read nor written."""
    target = tmp_path / "elsewhere"
    (tmp_path / "handoff-tui").mkdir()
    (tmp_path / "handoff-tui" / "engine.sqlite").symlink_to(target)
    with pytest.raises(HandoffError):
        prepare_database(tmp_path)
    assert not target.exists()


def test_folder_in_the_place_of_the_database_is_refused(tmp_path: Path) -> None:
    """It is an error with its path."""
    (tmp_path / "handoff-tui" / "engine.sqlite").mkdir(parents=True)
    with pytest.raises(HandoffError, match=r"engine\.sqlite"):
        prepare_database(tmp_path)


def test_worker_holds_its_place_alone(tmp_path: Path) -> None:
    """A second one is refused with the process that holds it; afterwards the place is free."""
    assert not has_worker(tmp_path)
    with hold_worker_lock(tmp_path):
        assert has_worker(tmp_path)
        assert not has_worker(tmp_path, ON_DEMAND_LOCK)
        with (
            pytest.raises(WorkerPresentError, match=r"already has a worker \(process \d+\)"),
            hold_worker_lock(tmp_path),
        ):
            pass
    with hold_worker_lock(tmp_path):
        pass


def test_schema_is_made_by_one_at_a_time(tmp_path: Path) -> None:
    """The lock is there while it is held, and again and again."""
    for _ in range(2):
        with hold_schema_lock(tmp_path):
            assert find_engine_file(tmp_path, "engine.lock").exists()


def test_log_of_the_worker_holds_warnings(tmp_path: Path) -> None:
    """What only matters to developers of the engine is left out."""
    handler = build_log_handler(tmp_path)
    for level in (logging.INFO, logging.WARNING):
        record = logging.LogRecord("dbos", level, "", 0, logging.getLevelName(level), (), None)
        if level >= handler.level:
            handler.handle(record)
    handler.close()
    text = find_engine_file(tmp_path, "worker.log").read_text(encoding="utf-8")
    assert ("WARNING" in text, "INFO" in text) == (True, False)
