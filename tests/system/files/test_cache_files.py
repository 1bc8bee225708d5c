from __future__ import annotations

import os
from pathlib import Path

import pytest

from handoff_tui.system.files.cache_files import (
    drop_oldest,
    find_cache_folder,
    find_state_folder,
    load_json,
    write_json,
    write_log,
)


def test_value_comes_back(tmp_path: Path) -> None:
    """What was written is read, and nothing else lies beside it."""
    place = tmp_path / "deep" / "a.json"
    assert write_json(place, {"a": [1, "x"]})
    assert load_json(place) == {"a": [1, "x"]}
    assert list(place.parent.iterdir()) == [place]


@pytest.mark.parametrize("content", [b"", b"{", b"\xff\xfe", b"[" * 100_000])
def test_damaged_file_is_as_good_as_none(tmp_path: Path, content: bytes) -> None:
    """No exception, no value."""
    place = tmp_path / "a.json"
    place.write_bytes(content)
    assert load_json(place) is None
    assert load_json(tmp_path / "missing") is None


def test_place_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    """A file where a folder should be."""
    (tmp_path / "file").touch()
    assert not write_json(tmp_path / "file" / "a.json", 1)
    assert write_log(tmp_path / "file" / "a.log", b"x") is None


def test_folders_follow_the_standard(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Absolute variables count, relative ones do not; each repository has its own cache."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("XDG_STATE_HOME", "relative")
    assert find_cache_folder(tmp_path / "a").parent == tmp_path / "cache" / "handoff-tui"
    assert find_cache_folder(tmp_path / "a") != find_cache_folder(tmp_path / "b")
    assert find_state_folder() == Path.home() / ".local" / "state" / "handoff-tui"


def test_oldest_files_are_dropped(tmp_path: Path) -> None:
    """As many as are too many; a folder that is not there has none."""
    for number, name in enumerate("cab"):
        (tmp_path / name).touch()
        os.utime(tmp_path / name, (number, number))
    drop_oldest(tmp_path, 2)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "b"]
    drop_oldest(tmp_path, 2)
    drop_oldest(tmp_path / "none", 2)
    assert len(list(tmp_path.iterdir())) == 2
