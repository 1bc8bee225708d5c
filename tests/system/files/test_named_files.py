from __future__ import annotations

import os
from pathlib import Path

import pytest

from handoff_tui.core.errors import FileUnreadableError, StoreWriteError
from handoff_tui.system.files.named_files import (
    is_inside,
    read_named_file,
    read_named_texts,
    write_if_absent,
    write_named_file,
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


def test_named_file_is_replaced_and_links_are_not_followed(tmp_path: Path) -> None:
    """The content is new; what a link of that name led to is as it was."""
    (tmp_path / "precious").write_bytes(b"precious")
    (tmp_path / "name").symlink_to("precious")
    write_named_file(tmp_path / "name", b"new")
    assert (tmp_path / "name").read_bytes() == b"new"
    assert (tmp_path / "precious").read_bytes() == b"precious"


def test_missing_folder_is_told(tmp_path: Path) -> None:
    """Neither kind of writing makes folders."""
    for write in (write_if_absent, write_named_file):
        with pytest.raises(StoreWriteError, match="cannot be written"):
            write(tmp_path / "gone" / "file", b"")
    with pytest.raises(StoreWriteError, match="no name"):
        write_if_absent(Path("/"), b"")


def test_reading_is_bounded(tmp_path: Path) -> None:
    """Missing, too large, a named pipe and bytes that are no text are each told."""
    (tmp_path / "large").write_bytes(b"x" * 11)
    (tmp_path / "bytes.toml").write_bytes(b"\xff")
    os.mkfifo(tmp_path / "pipe")
    for name, words in (("gone", "is not there"), ("large", "larger"), ("pipe", "not a regular file")):
        with pytest.raises(FileUnreadableError, match=words):
            read_named_file(tmp_path / name, 10)
    with pytest.raises(FileUnreadableError, match="not UTF-8"):
        read_named_texts(tmp_path / "bytes.toml", NAMES, 10)


def test_texts_of_a_folder_or_a_file_are_read(tmp_path: Path) -> None:
    """A folder gives those of the names that it has; a file gives itself."""
    (tmp_path / "policy.toml").write_text("version = 2")
    (tmp_path / "other").write_text("other")
    assert read_named_texts(tmp_path, NAMES, 100) == {"policy.toml": "version = 2"}
    assert read_named_texts(tmp_path / "other", NAMES, 100) == {"other": "other"}


def test_place_inside_a_folder_is_known_through_links(tmp_path: Path) -> None:
    """By where it would really lie."""
    (tmp_path / "own" / "log").mkdir(parents=True)
    (tmp_path / "link").symlink_to("own")
    assert is_inside(tmp_path / "link" / "log" / "file", tmp_path / "own")
    assert not is_inside(tmp_path / "file", tmp_path / "own")
