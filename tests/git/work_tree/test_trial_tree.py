from __future__ import annotations

import os
import subprocess
import tempfile
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from handoff_tui.core.errors import StoreWriteError
from handoff_tui.git.command import Git
from handoff_tui.git.repository import open_repository
from handoff_tui.git.work_tree.trial_tree import open_trial_tree, remove_left_trials
from handoff_tui.system.files.sealed_files import write_json
from handoff_tui.system.processes.identity import find_marked
from tests.support.fingerprint import read_fingerprint
from tests.support.repositories import RepositoryBuilder

_MARK = f"left-by-{uuid.uuid4().hex}"
"""Of this process alone: whatever carries a mark is ended machine-wide, also what another run of these tests left."""


@pytest.fixture(autouse=True)
def own_temporary_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What other tests have open is not ours to clear."""
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))


@pytest.fixture
def sleeper() -> Iterator[subprocess.Popen[bytes]]:
    """A command that was left running in a session of its own."""
    environment = {**os.environ, "HANDOFF_TUI_RUN": _MARK}
    with subprocess.Popen(["sleep", "300"], env=environment, start_new_session=True) as process:
        yield process
        process.kill()


def make_left(name: str, **changes: object) -> Path:
    """A work tree as one leaves it that was killed."""
    folder = Path(tempfile.gettempdir()) / f"handoff-tui-trial-{name}"
    (folder / ".git").mkdir(parents=True)
    owner = {"pid": 2**22 + 1, "birth": "long:ago", "host": os.uname().nodename, "mark": _MARK, **changes}
    write_json(folder / ".git" / "handoff-tui-owner.json", owner)
    return folder


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


def test_trial_of_a_killed_owner_is_taken_away_by_the_next(
    builder: RepositoryBuilder, sleeper: subprocess.Popen[bytes]
) -> None:
    """With the command that still runs in it; a pid that was given out again is not its owner."""
    builder.write("a").commit()
    gone, reborn = make_left("gone"), make_left("reborn", pid=os.getpid())
    assert find_marked(_MARK) == [sleeper.pid]
    with open_trial_tree(open_repository(builder.folder)):
        assert not gone.exists()
        assert not reborn.exists()
        assert sleeper.wait(20) < 0


def test_trial_that_may_be_in_use_stays(builder: RepositoryBuilder, tmp_path: Path) -> None:
    """One whose owner lives, of another machine, of nobody, or behind a link."""
    builder.write("a").commit()
    far, unsigned = make_left("far", host="another"), make_left("unsigned", birth="")
    linked = Path(tempfile.gettempdir()) / "handoff-tui-trial-linked"
    linked.symlink_to(make_left("target").rename(tmp_path / "target"))
    with open_trial_tree(open_repository(builder.folder)) as tree:
        tree.move_to(builder.head())
        remove_left_trials()
        assert all(folder.exists() for folder in (far, unsigned, linked, tree.folder / "a"))
