from __future__ import annotations

import os
import shutil

import pytest

from handoff_tui.core.errors import RepositoryError
from handoff_tui.git.command import Git
from handoff_tui.git.repository import open_repository, read_status
from handoff_tui.git.watch.reconcile import (
    FolderReader,
    StatusSnapshot,
    compare_states,
    parse_lines,
    read_status_snapshot,
    reopen,
    scan_repository,
)
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


def read(builder: RepositoryBuilder, *named: str) -> StatusSnapshot:
    repository = open_repository(builder.folder)
    return read_status_snapshot(repository, repository.git, named)


def test_lines_of_every_kind_name_their_paths() -> None:
    """Changed, renamed with the old name behind, unmerged, untracked; a folder without its slash."""
    ids = " ".join(["0" * 40] * 3)
    status = "\0".join(
        [
            "# branch.head main",
            f"1 .M N... 100644 100644 100644 {ids[:81]} with space.py",
            f"2 R. N... 100644 100644 100644 {ids[:81]} R100 new name.py",
            "old name.py",
            f"u UU N... 100644 100644 100644 100644 {ids} both.py",
            "? other repository/",
            "",
        ]
    )
    headers, lines = parse_lines(status.encode())
    assert headers == ("# branch.head main",)
    assert list(lines) == ["with space.py", "new name.py", "old name.py", "both.py", "other repository"]


def test_same_tree_has_no_difference(builder: RepositoryBuilder) -> None:
    """Two looks at what did not change are equal."""
    builder.write("a.py").commit().write("a.py", "changed\n").write("b.py")
    assert not any(compare_states(read(builder), read(builder)))


def test_second_change_of_a_changed_file_is_a_difference(builder: RepositoryBuilder) -> None:
    """Git's line stays the same; the stamp does not."""
    builder.write("a.py").commit().write("a.py", "changed\n").write("b.py")
    before = read(builder)
    builder.write("a.py", "changed again\n")
    assert compare_states(before, read(builder)) == (frozenset({"a.py"}), False)


def test_what_became_clean_is_a_difference(builder: RepositoryBuilder) -> None:
    """A path that git does not name any more has changed, too."""
    builder.write("a.py").commit().write("b.py")
    before = read(builder)
    builder.place("b.py").unlink()
    assert compare_states(before, read(builder)) == (frozenset({"b.py"}), False)


def test_new_ref_is_a_difference_of_refs_alone(builder: RepositoryBuilder) -> None:
    """No path has changed by it."""
    builder.write("a.py").commit()
    before = read(builder)
    builder.tag("v1")
    assert compare_states(before, read(builder)) == (frozenset(), True)


def test_ignored_file_counts_when_it_is_named(builder: RepositoryBuilder) -> None:
    """Handoffs often lie where git does not look."""
    builder.write(".gitignore", ".handoff/\n").commit().write(".handoff/note.md")
    before, unnamed = read(builder, ".handoff"), read(builder)
    os.utime(builder.place(".handoff/note.md"), ns=(1, 1))
    assert compare_states(before, read(builder, ".handoff")).paths == {".handoff/note.md"}
    assert not compare_states(unnamed, read(builder)).paths
