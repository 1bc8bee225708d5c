from __future__ import annotations

import shutil

import pytest

from handoff_tui.core.errors import RepositoryError
from handoff_tui.git.command import Git
from handoff_tui.git.repository import open_repository, read_status
from handoff_tui.git.watch.reconcile import FolderReader, reopen, scan_repository
from tests.support.fingerprint import compare_fingerprints, read_fingerprint
from tests.support.hostile import HostileRepository
from tests.support.repositories import RepositoryBuilder


def test_full_look_has_gits_answer_and_all_folders(builder: RepositoryBuilder) -> None:
    """State and folders are of the same repository, and absolute."""
    builder.write("src/a.py").commit().write("new/b.py")
    repository = open_repository(builder.folder)
    look = scan_repository(repository, FolderReader(repository, ()), ())
    assert look.state.status == read_status(repository)
    assert {str(builder.place(name)) for name in ("src", "new", ".git", ".git/refs/heads")} <= look.folders
    assert str(builder.folder) in look.folders
    assert look.complete
    assert look.seconds > 0


def test_folders_of_the_index_are_read_again_when_it_changed(builder: RepositoryBuilder) -> None:
    """A folder that is ignored and tracked all the same is found in the index alone."""
    builder.write(".gitignore", "build/\n").write("a.py").commit().write("build/kept.txt")
    repository = open_repository(builder.folder)
    reader = FolderReader(repository, ())
    build = str(builder.place("build"))
    assert build not in reader.read(repository.git)[0]
    builder.step("add", "--force", "build/kept.txt")
    assert build in reader.read(repository.git)[0]


def test_repository_that_is_gone_is_said_to_be(builder: RepositoryBuilder) -> None:
    """A clear reason, and no question to a git that would find another repository above."""
    builder.write("a.py").commit()
    repository = open_repository(builder.folder)
    shutil.rmtree(builder.folder)
    with pytest.raises(RepositoryError, match="gone"):
        reopen(repository)


def test_full_look_executes_nothing_that_was_planted_after_opening(hostile_repository: HostileRepository) -> None:
    """Each look disarms the configuration anew, and leaves everything as it is."""
    repository = open_repository(hostile_repository.folder)
    unaware = repository._replace(git=Git(repository.root))
    before = read_fingerprint(hostile_repository.folder)
    scan_repository(unaware, FolderReader(unaware, ()), ())
    assert hostile_repository.list_fired() == []
    assert compare_fingerprints(before, read_fingerprint(hostile_repository.folder)) == []
