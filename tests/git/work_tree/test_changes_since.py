from __future__ import annotations

import pytest

from handoff_tui.git.file_diff import FileChange
from handoff_tui.git.objects import tree_diff
from handoff_tui.git.repository import open_repository, read_work_tree
from handoff_tui.git.work_tree import changes_since
from handoff_tui.git.work_tree.changes_since import list_changes_since
from tests.support.repositories import RepositoryBuilder


@pytest.fixture
def work(builder: RepositoryBuilder) -> RepositoryBuilder:
    builder.write("src/part.py", "value = 1\n").write("src/other.py", "value = 2\n").write("gone.py", "gone\n").commit()
    return builder


def test_saved_files_are_told_as_git_tells_them(work: RepositoryBuilder, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever is saved, one session says what a new one would; git is asked only where a save leaves doubts."""
    baseline = work.head()
    work.write("src/other.py", "value = 3\n").write("src/added.py", "value = 4\n").commit("since")
    repository, asked = open_repository(work.folder), []

    def ask(*words: object) -> list[FileChange]:
        asked.append(words)
        return tree_diff.read_changes(repository.git, baseline)

    monkeypatch.setattr(changes_since, "read_changes", ask)
    for path, text, doubtful in (
        ("src/part.py", "value = 5\n", True),  # the first time
        ("src/part.py", "value = 6\n", False),
        ("src/other.py", "value = 7\n", False),
        ("src/added.py", "value = 8\n", False),
        ("src/other.py", "value = 2\n", True),  # as it was in the commit
        ("loose.txt", "untracked\n", False),
        ("src/part.py", "value = 1\n", True),
        ("src/part.py", "with\r\na carriage return\n", True),
        ("gone.py", None, True),
        ("src/added.py", "value = 9\n", True),  # it may be the new name of what is gone
        ("src/other.py", "value = 10\n", False),
    ):
        work.place(path).unlink() if text is None else work.write(path, text)
        asked.clear()
        told = list_changes_since(repository, read_work_tree(repository), baseline)
        assert [one[:3] for one in told] == [one[:3] for one in tree_diff.read_changes(repository.git, baseline)], path
        assert bool(asked) is doubtful, (path, text)
