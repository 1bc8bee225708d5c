from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from handoff_tui.core.errors import FileUnreadableError, StoreWriteError
from handoff_tui.system.files.named_files import (
    is_inside,
    read_named_file,
    read_named_texts,
    write_bug_report,
    write_if_absent,
    write_named_file,
    write_new_file,
    write_new_files,
)

NAMES = ("allowed_signers", "policy.toml")


def test_new_file_never_overwrites(tmp_path: Path) -> None:
    """A file, a folder, a link to nothing: whatever has the name stays as it is."""
    assert write_if_absent(tmp_path / "new", b"first")
    assert not write_if_absent(tmp_path / "new", b"second")
    assert (tmp_path / "new").read_bytes() == b"first"
    (tmp_path / "link").symlink_to(tmp_path / "away")
    assert not write_if_absent(tmp_path / "link", b"second")
    assert not (tmp_path / "away").exists()


def test_missing_folder_is_told(tmp_path: Path) -> None:
    """Neither kind of writing makes folders."""
    for write in (write_if_absent, write_named_file):
        with pytest.raises(StoreWriteError, match="cannot be written"):
            write(tmp_path / "gone" / "file", b"")
    with pytest.raises(StoreWriteError, match="is not a file name"):
        write_if_absent(Path("/"), b"")


def test_reading_is_bounded(tmp_path: Path) -> None:
    """Missing, too large, a named pipe and bytes that aren't text are each reported."""
    (tmp_path / "large").write_bytes(b"x" * 11)
    (tmp_path / "bytes.toml").write_bytes(b"\xff")
    os.mkfifo(tmp_path / "pipe")
    for name, words in (("gone", "is not there"), ("large", "larger"), ("pipe", "not a regular file")):
        with pytest.raises(FileUnreadableError, match=words):
            read_named_file(tmp_path / name, 10)
    with pytest.raises(FileUnreadableError, match="not UTF-8"):
        read_named_texts(tmp_path / "bytes.toml", NAMES, 10)


def test_place_inside_a_folder_is_known_through_links(tmp_path: Path) -> None:
    """By where it would really lie."""
    (tmp_path / "own" / "log").mkdir(parents=True)
    (tmp_path / "link").symlink_to("own")
    assert is_inside(tmp_path / "link" / "log" / "file", tmp_path / "own")
    assert not is_inside(tmp_path / "file", tmp_path / "own")


@pytest.fixture(autouse=True)
def temporary_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The temporary folder of the user, empty."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def test_report_is_a_new_file_for_this_user(temporary_folder: Path) -> None:
    """In the temporary folder, with the text, readable by nobody else."""
    place = Path(write_bug_report("the lamp fell\n"))
    assert place.parent == temporary_folder
    assert place.name.startswith("handoff-tui-report-")
    assert place.read_text(encoding="utf-8") == "the lamp fell\n"
    assert stat.S_IMODE(place.stat().st_mode) == 0o600


def test_report_takes_any_text() -> None:
    """Names that aren't valid text are written out as codes."""
    assert Path(write_bug_report("caf\udce9 ä")).read_text(encoding="utf-8") == "caf\\udce9 ä"


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
    """Half a file isn't a file."""

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
