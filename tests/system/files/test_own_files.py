from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from handoff_tui.core.errors import StoredFileDamagedError, StoreWriteError
from handoff_tui.system.files.atomic_write import SYSTEM, Folder, build_write_error, open_folders
from handoff_tui.system.files.cache_files import drop_oldest, find_cache_folder, find_state_folder, write_log
from handoff_tui.system.files.git_private_files import GitPrivateFolder
from handoff_tui.system.files.sealed_files import load_cache_secret, load_json, write_json
from tests.support.failing_calls import FailingCalls, fail_at


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Folder]:
    with open_folders(SYSTEM, tmp_path) as [folder]:
        yield folder


def test_short_writes_are_continued(tmp_path: Path, folder: Folder) -> None:
    """A call that takes only a part is followed by others until all is there."""
    calls = FailingCalls()
    Folder(calls, folder.descriptor).write_once("name", b"0123456789")
    assert calls.made.count("write") > 1
    assert (tmp_path / "name").read_bytes() == b"0123456789"


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


def test_replaced_file_is_old_or_new(tmp_path: Path, folder: Folder) -> None:
    """A link in its place is replaced and not followed; when a call fails, the old content stays and nothing else."""
    (tmp_path / "precious").write_bytes(b"precious")
    (tmp_path / "name").symlink_to("precious")
    folder.replace("name", b"first")
    assert (tmp_path / "precious").read_bytes() == b"precious"
    counting = FailingCalls()
    Folder(counting, folder.descriptor).replace("name", b"first")
    for place in range(1, counting.made.index("rename") + 2):
        with pytest.raises(OSError, match="No space"):
            Folder(fail_at(place, errno.ENOSPC), folder.descriptor).replace("name", b"second")
        assert (tmp_path / "name").read_bytes() == b"first"
        assert sorted(one.name for one in tmp_path.iterdir()) == ["name", "precious"]


def test_file_is_read_as_it_was_written(tmp_path: Path) -> None:
    """Missing is nothing; then the newest content, or what was added to it."""
    local = GitPrivateFolder(tmp_path)
    assert local.read("witness.json") is None
    local.write("witness.json", b"one")
    local.write("witness.json", b"two", lasting=False)
    local.append("witness.json", b" and more")
    assert local.read("witness.json") == b"two and more"
    assert [path.name for path in (tmp_path / "handoff-tui").iterdir()] == ["witness.json"]


def test_file_is_for_the_user_alone(tmp_path: Path) -> None:
    """Others on the machine can neither read nor write it."""
    local = GitPrivateFolder(tmp_path)
    local.write("one", b"")
    local.append("two", b"")
    assert {path.stat().st_mode & 0o777 for path in (tmp_path / "handoff-tui").iterdir()} == {0o600}


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EROFS, errno.EIO])
def test_write_that_fails_leaves_the_old_content(tmp_path: Path, number: int) -> None:
    """Whichever call fails, the file has its old content or its new one."""
    counting = FailingCalls()
    GitPrivateFolder(tmp_path, counting).write("file", b"old content")
    first = len(counting.made)
    GitPrivateFolder(tmp_path, counting).write("file", b"old content")
    for place in range(1, len(counting.made) - first + 1):
        GitPrivateFolder(tmp_path).write("file", b"old content")
        written = True
        try:
            GitPrivateFolder(tmp_path, fail_at(place, number)).write("file", b"new content")
        except StoreWriteError:
            written = False
        assert GitPrivateFolder(tmp_path).read("file") in (
            {b"new content"} if written else {b"old content", b"new content"}
        )
        assert [path.name for path in (tmp_path / "handoff-tui").iterdir()] == ["file"]


def test_outer_folder_is_made_only_where_that_was_said(tmp_path: Path) -> None:
    """A git folder that is gone is told; a cache may begin anywhere."""
    missing = tmp_path / "one/two"
    with pytest.raises(StoreWriteError):
        GitPrivateFolder(missing).append("file", b"content")
    assert not missing.parent.exists()
    local = GitPrivateFolder(missing, make_outer=True)
    assert local.read("file") is None
    assert not missing.parent.exists()
    local.append("file", b"content")
    assert local.read("file") == b"content"


@pytest.mark.parametrize("operation", ["read", "write", "append"])
def test_linked_folder_is_refused(tmp_path: Path, operation: str) -> None:
    """Nothing is read from or written to where a link leads."""
    (tmp_path / "away").mkdir()
    (tmp_path / "handoff-tui").symlink_to("away")
    local = GitPrivateFolder(tmp_path)
    with pytest.raises(StoredFileDamagedError):
        local.read("file") if operation == "read" else getattr(local, operation)("file", b"content")
    assert list((tmp_path / "away").iterdir()) == []


def test_pipe_in_the_place_of_a_file_is_told(tmp_path: Path) -> None:
    """It is not waited for."""
    (tmp_path / "handoff-tui").mkdir()
    os.mkfifo(tmp_path / "handoff-tui/file")
    with pytest.raises(StoredFileDamagedError):
        GitPrivateFolder(tmp_path).read("file")
    with pytest.raises(StoreWriteError):
        GitPrivateFolder(tmp_path).append("file", b"content")


def test_secret_is_made_once_and_kept(isolated_user: Path) -> None:
    """The same for every run of this user, unreadable for others, and outside any repository."""
    secret = load_cache_secret()
    assert secret is not None
    assert len(secret) == 32
    assert load_cache_secret() == secret
    (place,) = isolated_user.rglob("cache-secret")
    assert place.stat().st_mode & 0o777 == 0o600
    assert [path.name for path in place.parent.iterdir()] == ["cache-secret"]


def test_damaged_secret_is_none(isolated_user: Path) -> None:
    """A secret of another length seals nothing."""
    load_cache_secret()
    (place,) = isolated_user.rglob("cache-secret")
    place.write_bytes(b"short")
    assert load_cache_secret() is None


def test_home_that_cannot_be_written_has_no_secret(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is kept, and nothing fails."""
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))
    assert load_cache_secret() is None


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


def test_pipe_in_the_place_of_the_secret_holds_nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Then there is no secret, and nothing sealed is believed."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    (tmp_path / "handoff-tui").mkdir()
    os.mkfifo(tmp_path / "handoff-tui/cache-secret")
    assert load_cache_secret() is None
