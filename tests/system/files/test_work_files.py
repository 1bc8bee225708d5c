from __future__ import annotations

import os
from pathlib import Path

import pytest

from handoff_tui.core.errors import RollbackError
from handoff_tui.system.files.work_files import delete_file, write_file


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
