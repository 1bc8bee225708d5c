from __future__ import annotations

from pathlib import Path

import pytest

from handoff_tui.errors import StoreWriteError
from handoff_tui.repo.git import Git
from handoff_tui.repo.repository import open_repository
from handoff_tui.repo.trial_tree import open_trial_tree
from tests.support.fingerprint import read_fingerprint
from tests.support.repositories import RepositoryBuilder


def list_files(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if ".git" not in path.parts)


def test_trial_moves_from_commit_to_commit(builder: RepositoryBuilder) -> None:
    """Just the files of each, whatever an earlier trial has left; the repository is as it was, and the folder goes."""
    builder.write("a", "1\n").write(".gitignore", "*.out\n").commit().write("a", "2\n").write("b").commit()
    repository = open_repository(builder.folder)
    before = read_fingerprint(builder.folder)
    with open_trial_tree(repository) as tree:
        tree.move_to(builder.head())
        assert list_files(tree.folder) == [".gitignore", "a", "b"]
        (tree.folder / "x.out").touch()
        (tree.folder / "a").write_text("3\n")
        tree.move_to(builder.head("HEAD~1"))
        assert (list_files(tree.folder), (tree.folder / "a").read_text()) == ([".gitignore", "a"], "1\n")
        assert Git(tree.folder).run("rev-parse", "HEAD").text == builder.head("HEAD~1")
        assert Git(tree.folder).run("status", "--porcelain").text == ""
    assert not tree.folder.exists()
    assert read_fingerprint(builder.folder) == before


def test_trial_is_gone_after_an_interrupt(builder: RepositoryBuilder) -> None:
    """However it is left, also where a folder in it may not be written."""
    builder.write("a").commit()
    left: list[Path] = []

    def interrupt() -> None:
        with open_trial_tree(open_repository(builder.folder)) as tree:
            left.append(tree.folder)
            tree.move_to(builder.head())
            (tree.folder / "closed").mkdir()
            (tree.folder / "closed" / "file").touch()
            (tree.folder / "closed").chmod(0o500)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupt()
    assert not left[0].exists()


def test_trial_puts_files_and_follows_no_link(builder: RepositoryBuilder, tmp_path: Path) -> None:
    """A commit that has a link there does not lead out of the folder."""
    builder.write("a").link("out", tmp_path).link("file", tmp_path / "target").commit()
    with open_trial_tree(open_repository(builder.folder)) as tree:
        tree.move_to(builder.head())
        tree.put("sub/run.sh", b"true\n", executable=True)
        assert (tree.folder / "sub" / "run.sh").stat().st_mode & 0o777 == 0o755
        for path in ("out/x", "file"):
            with pytest.raises(StoreWriteError, match="is a link"):
                tree.put(path, b"", executable=False)
    assert not (tmp_path / "target").exists()
