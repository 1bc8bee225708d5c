"""Files at places of the user's choice: new ones only."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from handoff_tui.core.errors import StoreWriteError
from handoff_tui.system.files.named_files import write_new_file, write_new_files


def test_file_is_written_piece_by_piece(tmp_path: Path) -> None:
    """All pieces, in order; the size is told."""
    assert write_new_file(tmp_path / "a", (b"one", b"", b"two")) == 6
    assert (tmp_path / "a").read_bytes() == b"onetwo"


@pytest.mark.parametrize("kind", ["file", "link", "folder"])
def test_what_is_there_is_left_alone(tmp_path: Path, kind: str) -> None:
    """A file, a link to nothing or a folder of that name: an error, and nothing changes."""
    place = tmp_path / "a"
    if kind == "file":
        place.write_bytes(b"mine")
    elif kind == "link":
        place.symlink_to(tmp_path / "elsewhere")
    else:
        place.mkdir()
    with pytest.raises(StoreWriteError, match="is there already"):
        write_new_file(place, (b"x",))
    assert not (tmp_path / "elsewhere").exists()


def test_file_that_failed_half_way_is_gone(tmp_path: Path) -> None:
    """Half a file is no file."""

    def pieces() -> Iterator[bytes]:
        yield b"half"
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_new_file(tmp_path / "a", pieces())
    assert list(tmp_path.iterdir()) == []


def test_place_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    """A missing folder is an error with words."""
    with pytest.raises(StoreWriteError, match="cannot be written"):
        write_new_file(tmp_path / "missing" / "a", (b"x",))
    (tmp_path / "a").write_bytes(b"")
    with pytest.raises(StoreWriteError, match="cannot be written"):
        write_new_files(tmp_path / "a" / "b", {"x": b""})


def test_files_are_written_all_or_none(tmp_path: Path) -> None:
    """One that is there already keeps all the others from being written; the folder is made when it is missing."""
    write_new_files(tmp_path / "new" / "folder", {"a": b"1", "b": b"2"})
    assert {place.name for place in (tmp_path / "new" / "folder").iterdir()} == {"a", "b"}
    with pytest.raises(StoreWriteError, match="b is there already"):
        write_new_files(tmp_path / "new" / "folder", {"c": b"3", "b": b"4"})
    assert not (tmp_path / "new" / "folder" / "c").exists()
