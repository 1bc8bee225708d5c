from __future__ import annotations

import os
from pathlib import Path

import pytest

from handoff_tui.core.errors import RepositoryError
from handoff_tui.git.special_files import refuse_special_files, refuse_special_files_below
from tests.support.repositories import RepositoryBuilder


def put_pipe(place: Path) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    place.unlink(missing_ok=True)
    os.mkfifo(place)


@pytest.mark.parametrize(
    "name", [".gitattributes", ".gitignore", ".git/info/attributes", ".git/info/exclude", ".git/config", ".git/HEAD"]
)
def test_pipe_that_git_would_read_first_is_refused(builder: RepositoryBuilder, name: str) -> None:
    """From any folder of the repository, by its path."""
    builder.write("deep/a.txt").commit("one")
    put_pipe(builder.folder / name)
    for start in (builder.folder, builder.folder / "deep"):
        with pytest.raises(RepositoryError, match="is a named pipe") as refused:
            refuse_special_files(start)
        assert str(builder.folder / name) in refused.value.message


def test_pipe_of_the_repository_around_a_linked_work_tree_is_refused(
    builder: RepositoryBuilder, tmp_path: Path
) -> None:
    """Its own folder of git, and the one it shares."""
    linked = builder.write("a.txt").commit("one").worktree(tmp_path / "linked", "side")
    refuse_special_files(linked.folder)
    put_pipe(builder.folder / ".git" / "info" / "exclude")
    with pytest.raises(RepositoryError, match="exclude is a named pipe"):
        refuse_special_files(linked.folder)


def test_link_to_a_device_is_refused(builder: RepositoryBuilder) -> None:
    """Git would read it without end."""
    (builder.folder / ".gitignore").symlink_to("/dev/zero")
    with pytest.raises(RepositoryError, match="is a device"):
        refuse_special_files(builder.folder)


def test_pipe_in_a_folder_below_is_found_by_looking_everywhere(builder: RepositoryBuilder) -> None:
    """Tracked or not."""
    builder.write("deep/er/a.txt").commit("one")
    put_pipe(builder.folder / "deep" / "er" / ".gitattributes")
    refuse_special_files(builder.folder)
    with pytest.raises(RepositoryError, match=r"er/\.gitattributes is a named pipe"):
        refuse_special_files_below(builder.folder)


def test_ordinary_files_and_their_absence_pass(builder: RepositoryBuilder, tmp_path: Path) -> None:
    """As do pipes that git does not read, and places without a repository."""
    builder.write(".gitignore", "x\n").write("a/.gitattributes", "* text\n").commit("one")
    put_pipe(builder.folder / "pipe")
    refuse_special_files(builder.folder)
    refuse_special_files_below(builder.folder)
    refuse_special_files(tmp_path / "nowhere")
