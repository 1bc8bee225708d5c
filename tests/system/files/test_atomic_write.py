from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from handoff_tui.core.errors import StoredFileDamagedError
from handoff_tui.system.files.atomic_write import (
    FOLDER_FLAGS,
    SYSTEM,
    build_write_error,
    open_folder,
    read_regular,
    replace_file,
    write_once,
)
from tests.support.failing_calls import FailingCalls, fail_at


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[int]:
    descriptor = os.open(tmp_path, FOLDER_FLAGS)
    yield descriptor
    os.close(descriptor)


def test_first_writer_wins(tmp_path: Path, folder: int) -> None:
    """A second write under the name changes nothing and says so; no temporary file stays."""
    assert write_once(SYSTEM, folder, folder, "name", b"first")
    assert not write_once(SYSTEM, folder, folder, "name", b"second")
    assert (tmp_path / "name").read_bytes() == b"first"
    assert list(tmp_path.iterdir()) == [tmp_path / "name"]


def test_short_writes_are_continued(tmp_path: Path, folder: int) -> None:
    """A call that takes only a part is followed by others until all is there."""
    calls = FailingCalls()
    write_once(calls, folder, folder, "name", b"0123456789")
    assert calls.made.count("write") > 1
    assert (tmp_path / "name").read_bytes() == b"0123456789"


def test_name_is_not_taken_through_a_link(tmp_path: Path, folder: int) -> None:
    """A link that leads nowhere is a name that is taken; nothing appears where it leads."""
    (tmp_path / "name").symlink_to(tmp_path / "away")
    assert not write_once(SYSTEM, folder, folder, "name", b"content")
    assert not (tmp_path / "away").exists()


def test_folder_is_made_once(tmp_path: Path, folder: int) -> None:
    """Made where it is missing and asked for; otherwise missing is an error."""
    with pytest.raises(FileNotFoundError):
        open_folder(SYSTEM, "new", folder, "new")
    for _ in range(2):
        os.close(open_folder(SYSTEM, "new", folder, "new", create=True))
    assert (tmp_path / "new").is_dir()


@pytest.mark.parametrize("target", ["away", "file"])
def test_folder_that_is_none_is_refused(tmp_path: Path, folder: int, target: str) -> None:
    """A link to a folder, and a file."""
    (tmp_path / "away").mkdir()
    (tmp_path / "file").touch()
    (tmp_path / "link").symlink_to("away")
    with pytest.raises(StoredFileDamagedError, match="shown/path"):
        open_folder(SYSTEM, "link" if target == "away" else "file", folder, "shown/path", create=True)


def test_only_regular_files_are_read(tmp_path: Path, folder: int) -> None:
    """A folder, a pipe, a link, a file over the limit: each is refused by what it is."""
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "file").write_bytes(b"12345")
    (tmp_path / "link").symlink_to("file")
    for name, words in (("folder", "regular"), ("pipe", "regular"), ("link", "is a link")):
        with pytest.raises(StoredFileDamagedError, match=words):
            read_regular(SYSTEM, folder, name, 10, name)
    with pytest.raises(StoredFileDamagedError, match="too large"):
        read_regular(SYSTEM, folder, "file", 4, "file")
    assert read_regular(SYSTEM, folder, "file", 5, "file") == b"12345"


@pytest.mark.parametrize(
    ("number", "words"),
    [(errno.ENOSPC, "the disk is full"), (errno.EDQUOT, "quota"), (errno.EROFS, "read-only"), (errno.EIO, "error")],
)
def test_refusal_is_told_in_words(number: int, words: str) -> None:
    """The reason is named; what can be done about it is the hint."""
    told = build_write_error(OSError(number, os.strerror(number)), "the/path")
    assert words in told.message
    assert told.message.startswith("the/path cannot be written")
    assert bool(told.hint) == (number != errno.EIO)


def test_replaced_file_is_old_or_new(tmp_path: Path, folder: int) -> None:
    """A link in its place is replaced and not followed; when a call fails, the old content stays and nothing else."""
    (tmp_path / "precious").write_bytes(b"precious")
    (tmp_path / "name").symlink_to("precious")
    replace_file(SYSTEM, folder, "name", b"first")
    assert (tmp_path / "precious").read_bytes() == b"precious"
    counting = FailingCalls()
    replace_file(counting, folder, "name", b"first")
    for place in range(1, counting.made.index("rename") + 2):
        with pytest.raises(OSError, match="No space"):
            replace_file(fail_at(place, errno.ENOSPC), folder, "name", b"second")
        assert (tmp_path / "name").read_bytes() == b"first"
        assert sorted(one.name for one in tmp_path.iterdir()) == ["name", "precious"]
