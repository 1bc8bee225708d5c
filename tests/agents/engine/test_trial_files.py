"""The folder of a trial."""

from __future__ import annotations

from pathlib import Path

import pytest

from handoff_tui.agents.engine.trial import (
    append_record,
    is_ready,
    load_trial,
    make_trial,
    mark_ready,
    read_last_words,
    read_records,
    remove_trial,
    write_trial,
)
from handoff_tui.core.errors import EngineError


def test_trial_is_told_and_taken_away_again() -> None:
    """It is outside every repository, and leaves nothing."""
    folder = make_trial()
    write_trial(folder, {"plan": 1})
    assert (load_trial(folder), is_ready(folder)) == ({"plan": 1}, False)
    mark_ready(folder)
    assert is_ready(folder)
    remove_trial(folder)
    assert not folder.exists()


def test_trial_that_cannot_be_written_is_a_clear_error(tmp_path: Path) -> None:
    """Not a crash in the middle."""
    (tmp_path / "file").touch()
    with pytest.raises(EngineError, match="can't write"):
        write_trial(tmp_path / "file", {})


def test_records_are_those_that_were_written_whole(tmp_path: Path) -> None:
    """The last line of a process that was killed while it wrote is none."""
    assert read_records(tmp_path) == []
    append_record(tmp_path, {"name": "one"})
    append_record(tmp_path, {"name": "two"})
    with (tmp_path / "record.jsonl").open("ab") as file:
        file.write(b'{"name": "thr')
    assert [record["name"] for record in read_records(tmp_path)] == ["one", "two"]


def test_last_words_of_a_process_are_found(tmp_path: Path) -> None:
    """Nothing said is said, too."""
    assert read_last_words(tmp_path / "none") == "no output"
    (tmp_path / "words").write_text("first\nlast\n", encoding="utf-8")
    assert read_last_words(tmp_path / "words") == "last"
