"""The engine behind the contract: found or not, silent, and not to be had by a planted database."""

from __future__ import annotations

import base64
import pickle
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from handoff_tui.agents.engine.dbos import DbosEngine, EngineLocation, build_address, load_engine, write_schema
from handoff_tui.core.errors import EngineError, EngineMissingError
from tests.support.procedure_runs import REQUEST


@pytest.mark.short
def test_missing_engine_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is an extra: everything else works without it."""
    monkeypatch.setitem(sys.modules, "dbos", None)
    with pytest.raises(EngineMissingError, match="not installed") as refused:
        load_engine()
    assert refused.value.hint == "pip install 'handoff-tui[engine]'"


@pytest.mark.short
def test_address_names_the_driver_that_is_installed() -> None:
    """Both spellings of PostgreSQL come to the same."""
    assert build_address("postgres://ada@db/x?host=/run") == "postgresql+psycopg://ada@db/x?host=/run"
    assert build_address("postgresql://db/x") == "postgresql+psycopg://db/x"


def test_file_that_is_no_database_is_a_clear_error(tmp_path: Path) -> None:
    """With the word that no decision is lost."""
    place = tmp_path / "engine.sqlite"
    place.write_text("this is no database, and it is long enough to be looked at" * 20, encoding="utf-8")
    with pytest.raises(EngineError, match="the engine can't use") as refused:
        write_schema(EngineLocation(f"sqlite:///{place}", "handoff-tui"))
    assert "no decision is lost" in refused.value.hint


class Planted:
    """What unpickling would run."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> tuple[object, ...]:
        return Path.touch, (self.mark,)


@pytest.mark.short
def test_pickle_in_a_planted_database_is_not_run(tmp_path: Path) -> None:
    """A repository that was unpacked with its git folder may bring a database; looking at it runs nothing."""
    mark = tmp_path / "executed"
    database = tmp_path / "engine.sqlite"
    place = EngineLocation(f"sqlite:///{database}", "handoff-tui")
    write_schema(place)
    engine = DbosEngine(place)
    run = engine.submit(REQUEST)
    planted = base64.b64encode(pickle.dumps(Planted(mark))).decode()
    with closing(sqlite3.connect(database)) as connection:
        tables = [str(row[0]) for row in connection.execute("SELECT name FROM sqlite_master WHERE type='table'")]
        for table in tables:
            columns = {str(row[1]) for row in connection.execute(f"PRAGMA table_info({table})")}
            for column in columns & {"inputs", "output"}:
                connection.execute(f"UPDATE {table} SET {column} = ?", (planted,))  # noqa: S608 - names of the schema
            if "serialization" in columns:
                connection.execute(f"UPDATE {table} SET serialization = 'py_pickle'")  # noqa: S608 - the same
        connection.commit()
    found = engine.view(run)
    engine.close()
    assert not mark.exists()
    assert found is None or found.request is None


def test_nothing_of_the_engine_reaches_a_terminal(tmp_path: Path) -> None:
    """A process that uses it says nothing on stdout or stderr, not even warnings."""
    code = f"""
from handoff_tui.agents.engine.dbos import DbosEngine, EngineLocation, write_schema
place = EngineLocation("sqlite:///{tmp_path}/engine.sqlite", "handoff-tui")
write_schema(place)
engine = DbosEngine(place)
assert engine.list() == ()
engine.close()
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False, timeout=150)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
