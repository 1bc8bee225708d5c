from __future__ import annotations

import os
from pathlib import Path

from handoff_tui.git.command import Git
from handoff_tui.git.work_tree.ignored_files import IgnoredFiles, is_ignored, list_ignored
from tests.support.repositories import RepositoryBuilder


def make(root: Path, *paths: str) -> None:
    for path in paths:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).touch()


def test_files_among_and_below_ignored_paths_are_listed(tmp_path: Path) -> None:
    """Folders are walked, links not followed, pipes passed over, skipped folders never entered."""
    make(tmp_path, "a.log", "build/reports/x.xml", "build/y.xml", "node_modules/z.xml", "build/node_modules/w.xml")
    (tmp_path / "build" / "link").symlink_to(tmp_path)
    os.mkfifo(tmp_path / "build" / "pipe")
    found = list_ignored(tmp_path, ["node_modules/", "build/", "a.log", "gone/"], {"node_modules"}, 100)
    assert found == IgnoredFiles(("a.log", "build/reports/x.xml", "build/y.xml"), complete=True)


def test_limit_cuts_always_at_the_same_place(tmp_path: Path) -> None:
    """Where there is more than may be looked through, that is told, whatever the order of the file system."""
    make(tmp_path, *(f"b/{number}" for number in range(10)), "a/x", "c/y")
    assert list_ignored(tmp_path, ["c/", "b/", "a/"], (), 5) == IgnoredFiles(("a/x",), complete=False)


def test_ignored_path_is_known_before_it_is_there(builder: RepositoryBuilder) -> None:
    """By a rule of the repository, wherever it stands; what no rule names is not ignored."""
    builder.write(".gitignore", "/.own/\n").write("inner/.gitignore", "*.log\n")
    git = Git.open(builder.folder)
    assert is_ignored(git, ".own/log/entry")
    assert is_ignored(git, "inner/a.log")
    assert not is_ignored(git, "a.log")
