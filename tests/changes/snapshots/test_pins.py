from __future__ import annotations

from pathlib import Path

import pytest

from handoff_tui.changes.snapshots.stored_snapshots import EVERY_HANDOFF, find_pin, read_pins, write_pin
from handoff_tui.core.errors import SnapshotUnusableError
from handoff_tui.system.files.cache_files import find_choices_folder

ONE, TWO = "1" * 64, "2" * 64


def test_pins_are_kept_replaced_and_taken_away(tmp_path: Path) -> None:
    """One for each handoff, and one for all others."""
    assert read_pins(tmp_path) == {}
    write_pin(tmp_path, "H-1", ONE)
    write_pin(tmp_path, EVERY_HANDOFF, TWO)
    assert read_pins(tmp_path) == {"*": TWO, "H-1": ONE}
    write_pin(tmp_path, "H-1", TWO)
    assert find_pin(read_pins(tmp_path), "H-1") == TWO
    write_pin(tmp_path, EVERY_HANDOFF, None)
    write_pin(tmp_path, "unknown", None)
    assert read_pins(tmp_path) == {"H-1": TWO}


def test_pin_in_the_repository_is_none(tmp_path: Path) -> None:
    """An agent can write the git folder; it chooses no baseline there, and a pin leaves nothing behind there."""
    (tmp_path / "handoff-tui").mkdir()
    (tmp_path / "handoff-tui/pins.json").write_text(f'{{"*": "{ONE}"}}')
    assert read_pins(tmp_path) == {}
    write_pin(tmp_path, "H-1", TWO)
    assert read_pins(tmp_path) == {"H-1": TWO}
    assert [place.name for place in tmp_path.rglob("*.json")] == ["pins.json"]


def test_pin_of_a_handoff_comes_before_the_one_for_all() -> None:
    """Without a handoff only the latter counts."""
    pins = {"*": ONE, "H-1": TWO}
    assert [find_pin(pins, name) for name in ("H-1", "H-2", None)] == [TWO, ONE, ONE]
    assert find_pin({}, "H-1") is None


@pytest.mark.parametrize("content", ["", "[]", '{"H-1": 1}', '{"H-1": "short"}', "[" * 100_000])
def test_damaged_pins_are_an_error(tmp_path: Path, content: str) -> None:
    """A choice of the reviewer is not silently forgotten."""
    write_pin(tmp_path, "H-1", ONE)
    (find_choices_folder(tmp_path) / "handoff-tui/pins.json").write_text(content)
    with pytest.raises(SnapshotUnusableError, match=r"pins\.json is damaged"):
        read_pins(tmp_path)
