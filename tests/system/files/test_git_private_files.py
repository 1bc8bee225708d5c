from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from handoff_tui.core.errors import StoredFileDamagedError, StoreWriteError
from handoff_tui.system.files.git_private_files import GitPrivateFolder, load_cache_secret
from tests.support.failing_calls import FailingCalls, fail_at


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


def test_append_that_fails_is_told(tmp_path: Path) -> None:
    """The caller decides whether it matters."""
    with pytest.raises(StoreWriteError, match="disk is full"):
        GitPrivateFolder(tmp_path, fail_at(1, errno.ENOSPC)).append("file", b"content")


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
