from __future__ import annotations

import os
import shlex
from pathlib import Path

import pytest

from handoff_tui.core.errors import GitError, HandoffError, RepositoryError
from handoff_tui.core.repository_facts import RepositoryFacts
from handoff_tui.git.hardening import refuse_special_files, refuse_special_files_below
from handoff_tui.git.repository import open_repository, read_work_tree
from tests.support.fingerprint import compare_fingerprints, read_fingerprint
from tests.support.repositories import RepositoryBuilder


def read_facts(builder: RepositoryBuilder) -> RepositoryFacts:
    return read_work_tree(open_repository(builder.folder)).facts


def refuse(start: Path) -> HandoffError:
    """The error of opening, which must carry a hint."""
    with pytest.raises(HandoffError) as caught:
        open_repository(start)
    assert caught.value.hint
    return caught.value


@pytest.mark.parametrize(
    "name", ["new\nline", "vertical\x0btab", "next\x85line", "separator\u2028", 'quo\'te "d"', "-C"]
)
def test_repository_folder_may_have_any_name(tmp_path: Path, name: str) -> None:
    """A folder's name is read in full, line ends and quotes included."""
    builder = RepositoryBuilder.init(tmp_path / name).write("a.txt").commit()
    assert open_repository(builder.folder).root == builder.folder
    assert read_facts(builder).head == builder.head()


def test_submodule_at_another_commit_is_a_change(builder: RepositoryBuilder, tmp_path: Path) -> None:
    """A submodule that moved on is a change of the superproject."""
    library = RepositoryBuilder.init(tmp_path / "library").write("lib.txt").commit("library")
    builder.submodule(library, "sub").write("more.txt").commit("more")
    assert read_facts(builder).changed == ("sub",)


def test_separate_git_folder_is_accepted(tmp_path: Path) -> None:
    """A `.git` file that points to a git folder elsewhere is an ordinary thing."""
    builder = RepositoryBuilder.init(tmp_path / "work", f"--separate-git-dir={tmp_path / 'elsewhere'}")
    assert read_facts(builder.write("a.txt").commit()).head == builder.head()


def test_git_folder_is_refused(builder: RepositoryBuilder) -> None:
    """Inside `.git` there is nothing to review."""
    assert ".git folder" in refuse(builder.folder / ".git").message


@pytest.mark.parametrize("name", ["missing", "file", "x" * 300, "nul\0"])
def test_what_is_no_folder_is_refused(tmp_path: Path, name: str) -> None:
    """A file, a missing path and an impossible name are expected errors."""
    (tmp_path / "file").touch()
    assert isinstance(refuse(tmp_path / name), RepositoryError)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder to another user")
def test_repository_of_someone_else_is_refused(builder: RepositoryBuilder, monkeypatch: pytest.MonkeyPatch) -> None:
    """Git's refusal is explained; the hint names the root of the repository, quoted for a shell."""
    monkeypatch.delenv("SUDO_UID", raising=False)
    folder = builder.folder.rename(builder.folder.with_name("their repository"))
    (folder / "sub").mkdir()
    os.chown(folder, 12345, 12345)
    error = refuse(folder / "sub")
    assert "belongs to another user" in error.message
    assert error.hint.endswith(f"safe.directory {shlex.quote(str(folder))}")


@pytest.mark.parametrize("target", ["/", "..", "../..", "../../elsewhere"])
def test_planted_work_tree_is_refused(builder: RepositoryBuilder, target: str) -> None:
    """A core.worktree that points at a folder around or beside the repository opens no other folder to reading."""
    (builder.folder.parent / "elsewhere").mkdir()
    builder.write("a.txt").commit()
    git_dir = builder.folder / ".git"
    builder.config("core.worktree", str((git_dir / target).resolve()) if target != ".." else str(builder.folder.parent))
    assert "core.worktree" in refuse(builder.folder).hint


def test_planted_work_tree_around_another_repository_is_refused(builder: RepositoryBuilder, tmp_path: Path) -> None:
    """Nor does it, when the folder around is a repository of its own."""
    RepositoryBuilder.init(tmp_path)
    builder.config("core.worktree", str(tmp_path))
    assert "core.worktree" in refuse(builder.folder).hint


@pytest.mark.parametrize("damage", ["garbage\n", "", "ref: "])
def test_corrupt_head_is_explained(builder: RepositoryBuilder, damage: str) -> None:
    """A damaged repository is not called an absent one."""
    builder.write("a.txt").commit()
    (builder.folder / ".git" / "HEAD").write_text(damage)
    error = refuse(builder.folder)
    assert "git does not accept it" in error.message
    assert "damaged" in error.hint


def test_git_file_that_points_nowhere_is_explained(tmp_path: Path) -> None:
    """A worktree whose main repository was deleted is called damaged."""
    (tmp_path / ".git").write_text(f"gitdir: {tmp_path / 'gone'}\n")
    assert "git does not accept it" in refuse(tmp_path).message


def test_corrupt_configuration_is_explained(builder: RepositoryBuilder) -> None:
    """A configuration that git cannot parse is named with its line."""
    (builder.folder / ".git" / "config").write_text("[core]\n\trepositoryformatversion = 0\n[broken\n")
    assert "bad config line 3" in refuse(builder.folder).message


def test_unknown_extension_is_explained(builder: RepositoryBuilder) -> None:
    """A repository of a newer git says which extension is unknown."""
    builder.config("core.repositoryFormatVersion", "1").config("extensions.fromTheFuture", "1")
    assert "fromthefuture" in refuse(builder.folder).message


def test_missing_git_is_explained(builder: RepositoryBuilder, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Without git nothing can be opened, and the hint says what to install."""
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))
    assert "Install git" in refuse(builder.folder).hint


@pytest.mark.parametrize("damage", [b"garbage", b"DIRC\0\0\0\2\0\0\0\1", b""])
def test_corrupt_index_is_explained(builder: RepositoryBuilder, damage: bytes) -> None:
    """A damaged index is an expected error that names the index and a way out."""
    builder.write("a.txt").commit()
    (builder.folder / ".git" / "index").write_bytes(damage)
    repository = open_repository(builder.folder)
    with pytest.raises(GitError, match="index") as caught:
        read_work_tree(repository)
    assert ".git/index" in caught.value.hint


def test_reading_changes_nothing(builder: RepositoryBuilder) -> None:
    """A look at stale stat data does not refresh the index, though plain git would."""
    builder.write("a.txt").commit()
    os.utime(builder.folder / "a.txt", (1_000_000_000, 1_000_000_000))
    before = read_fingerprint(builder.folder)
    read_facts(builder)
    assert compare_fingerprints(before, read_fingerprint(builder.folder)) == []
    builder.git("status")
    assert compare_fingerprints(before, read_fingerprint(builder.folder)) != []


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
