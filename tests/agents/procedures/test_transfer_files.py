"""What a procedure hands over, as files."""

from __future__ import annotations

from pathlib import Path

import pytest

from handoff_tui.agents.procedures.steps import TransferFolder, build_transfer_digest
from handoff_tui.core.errors import StoreWriteError


def test_file_is_written_read_and_removed(tmp_path: Path) -> None:
    """Writing the same twice is writing once, and the digest is that of the value."""
    folder = TransferFolder(tmp_path, "H-1", "build", 2)
    value: dict[str, object] = {"b": 1, "a": [1, 2]}
    assert folder.write("state.json", value) == folder.write("state.json", value) == build_transfer_digest(value)
    assert folder.load("state.json") == value
    folder.remove("state.json")
    folder.remove("state.json")
    assert folder.load("state.json") is None


def test_names_never_lead_out_of_the_folder(tmp_path: Path) -> None:
    """An agent chooses the id of a handoff."""
    folder = TransferFolder(tmp_path, "a/../../..", "../..", 1)
    assert folder.place.resolve().is_relative_to(tmp_path / "handoff-tui" / "transfers")


def test_damaged_file_is_nothing(tmp_path: Path) -> None:
    """It is not believed, and breaks nothing."""
    folder = TransferFolder(tmp_path, "H-1", "build", 1)
    folder.write("state.json", {})
    (folder.place / "state.json").write_text("[1", encoding="utf-8")
    assert folder.load("state.json") is None


def test_file_that_cannot_be_written_is_a_clear_error(tmp_path: Path) -> None:
    """Something else is in the way."""
    (tmp_path / "handoff-tui").touch()
    with pytest.raises(StoreWriteError, match="cannot be written"):
        TransferFolder(tmp_path, "H-1", "build", 1).write("state.json", {})
