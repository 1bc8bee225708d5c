from __future__ import annotations

import os
from pathlib import Path

import pytest

from handoff_tui.core.errors import FileUnreadableError, RollbackError, UnsafePathError
from handoff_tui.system.files.reader import FileReader
from handoff_tui.system.files.user_files import (
    find_config_folder,
    list_user_files,
    read_optional,
    read_user_file,
    shorten_home,
)
from handoff_tui.system.files.work_files import delete_file, write_file


def test_config_folder_follows_xdg_and_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An absolute XDG_CONFIG_HOME counts; otherwise `.config` in the home."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CONFIG_HOME", "/elsewhere")
    assert find_config_folder() == Path("/elsewhere/handoff-tui")
    for ignored in ("", "relative"):
        monkeypatch.setenv("XDG_CONFIG_HOME", ignored)
        assert find_config_folder() == tmp_path / ".config" / "handoff-tui"


def test_config_folder_is_nothing_without_a_home(monkeypatch: pytest.MonkeyPatch) -> None:
    """A user without a home has no configuration, and that is no error."""

    def refuse() -> Path:
        raise RuntimeError

    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    monkeypatch.setattr(Path, "home", refuse)
    assert find_config_folder() is None
    assert shorten_home(Path("/a/b")) == "/a/b"


def test_home_is_shortened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Paths below the home begin with a tilde; others stay."""
    monkeypatch.setenv("HOME", str(tmp_path))
    assert shorten_home(tmp_path / "a" / "b") == "~/a/b"
    assert shorten_home(Path("/other")) == "/other"


def test_user_file_is_read_through_links(tmp_path: Path) -> None:
    """A link to the real file is followed: configurations are often kept elsewhere."""
    (tmp_path / "real").write_bytes(b"content")
    (tmp_path / "link").symlink_to("real")
    assert read_user_file(tmp_path / "link", 7) == b"content"


def test_user_file_that_is_absent_is_nothing(tmp_path: Path) -> None:
    """No file, no folder, or a file in the place of the folder."""
    (tmp_path / "file").write_bytes(b"")
    assert read_user_file(tmp_path / "absent", 10) is None
    assert read_user_file(tmp_path / "absent" / "deeper", 10) is None
    assert read_user_file(tmp_path / "file" / "deeper", 10) is None


def test_user_file_is_refused_when_it_is_no_readable_file(tmp_path: Path) -> None:
    """A dangling or circular link, a folder, a pipe, a file that is too large."""
    (tmp_path / "dangling").symlink_to("nothing")
    (tmp_path / "circle").symlink_to("circle")
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "large").write_bytes(b"12345678901")
    for name in ("dangling", "circle", "folder", "pipe", "large"):
        with pytest.raises(FileUnreadableError, match=name):
            read_user_file(tmp_path / name, 10)


def test_optional_file_is_read_or_absent_or_refused(tmp_path: Path) -> None:
    """Absent is nothing; a link out of the repository or to nothing is not absent."""
    root = tmp_path / "root"
    root.mkdir()
    (root / "there").write_bytes(b"content")
    (root / "out").symlink_to(tmp_path)
    (root / "dangling").symlink_to("nothing")
    reader = FileReader(root, 100)
    assert read_optional(reader, "there") == b"content"
    assert read_optional(reader, "absent") is None
    with pytest.raises(UnsafePathError):
        read_optional(reader, "out")
    with pytest.raises(FileUnreadableError):
        read_optional(reader, "dangling")


def test_user_files_are_listed_by_suffix(tmp_path: Path) -> None:
    """Names without the suffix, sorted; empty for a missing folder."""
    for name in ("b.toml", "a.toml", "c.txt"):
        (tmp_path / name).write_bytes(b"")
    assert list_user_files(tmp_path, ".toml") == ("a", "b")
    assert list_user_files(tmp_path / "absent", ".toml") == ()


def test_files_links_and_programs_are_written(tmp_path: Path) -> None:
    """With the folders above them; what was there is replaced."""
    write_file(tmp_path, "a/b/c", "100644", b"\xff\r\n")
    write_file(tmp_path, "a/run", "100755", b"#!")
    write_file(tmp_path, "a/run", "100644", b"plain")
    write_file(tmp_path, "link", "120000", b"a/b/c")
    write_file(tmp_path, "program", "100755", b"#!")
    assert (tmp_path / "a/b/c").read_bytes() == b"\xff\r\n"
    assert not os.access(tmp_path / "a/run", os.X_OK)
    assert os.access(tmp_path / "program", os.X_OK)
    assert (tmp_path / "link").readlink() == Path("a/b/c")


def test_link_on_the_way_is_not_followed(tmp_path: Path) -> None:
    """Neither to write nor to delete."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "file").touch()
    root = tmp_path / "root"
    root.mkdir()
    (root / "folder").symlink_to(outside)
    with pytest.raises(OSError, match="folder"):
        write_file(root, "folder/x", "100644", b"")
    delete_file(root, "folder/file")
    assert [path.name for path in outside.iterdir()] == ["file"]


def test_deleting_takes_empty_folders_along(tmp_path: Path) -> None:
    """Up to one that holds something, or the root; what is gone already is fine."""
    write_file(tmp_path, "a/b/c", "100644", b"")
    write_file(tmp_path, "a/kept", "100644", b"")
    delete_file(tmp_path, "a/b/c")
    assert (tmp_path / "a").is_dir()
    assert not (tmp_path / "a/b").exists()
    delete_file(tmp_path, "a/kept")
    delete_file(tmp_path, "a/kept")
    assert tmp_path.is_dir()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("path", ["../x", "/etc/x", ".git/config", "a/../../x", ""])
def test_path_out_of_the_work_tree_is_refused(tmp_path: Path, path: str) -> None:
    """Or into git's own folder."""
    with pytest.raises(RollbackError):
        write_file(tmp_path, path, "100644", b"")
