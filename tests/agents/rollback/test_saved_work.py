"""Saving work before a rollback, and what is shown of it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from handoff_tui.agents.rollback import report, saved_work
from handoff_tui.core.errors import RollbackError
from handoff_tui.git.repository import Repository, open_repository, read_work_tree
from tests.support.desk_states import find_section, list_lines
from tests.support.repositories import EMAIL, RepositoryBuilder
from tests.support.step_reports import PREVIEW, RECORD


@pytest.fixture
def work(builder: RepositoryBuilder) -> RepositoryBuilder:
    """Two commits, and uncommitted work of every kind on top."""
    builder.config("user.email", EMAIL).config("user.name", "Ada")
    builder.write(".gitattributes", "*.txt text=auto\n").write("kept.txt", "1\n").write("old", "1\n").commit("one")
    builder.write("kept.txt", "2\n").write("new", "2\n").write(".handoff-tui/log/x", "entry\n").commit("two")
    builder.write("kept.txt", b"dirty\r\nlines\r\n").write("un\ntracked", "u\n").link("way", "kept.txt")
    builder.write("program", "#!\n").place("program").chmod(0o755)
    builder.place("old").unlink()
    return builder


def open_dirty(builder: RepositoryBuilder) -> tuple[Repository, tuple[str, ...]]:
    repository = open_repository(builder.folder)
    facts = read_work_tree(repository).facts
    return repository, (*facts.changed, *facts.untracked)


def read_all(root: Path) -> dict[str, object]:
    return {
        path.relative_to(root).as_posix(): (
            path.readlink() if path.is_symlink() else (path.read_bytes(), os.access(path, os.X_OK))
        )
        for path in root.rglob("*")
        if ".git" not in path.relative_to(root).parts and (path.is_symlink() or path.is_file())
    }


def test_everything_comes_back_byte_by_byte(work: RepositoryBuilder) -> None:
    """Line ends that git would change, links, programs, odd names, deletions; decisions stay where they are."""
    before, status = read_all(work.folder), work.git("status", "--porcelain")
    repository, paths = open_dirty(work)
    head = work.head()
    saved = saved_work.write_saved_work(repository, head, paths, "stamp")
    assert work.head("refs/handoff-tui/saved/stamp") == saved.commit
    target = saved_work.write_target_tree(repository, work.head("HEAD~1"), head)
    saved_work.change_files(repository, saved.tree, target)
    commit = saved_work.write_commit(repository, target, head, "back")
    saved_work.move_head(repository, commit, head, "test")
    saved_work.write_index(repository, target)
    assert work.git("status", "--porcelain") == ""
    there = read_all(work.folder)
    assert sorted(there) == [".gitattributes", ".handoff-tui/log/x", "kept.txt", "old"]
    assert there["kept.txt"] == (b"1\n", False)
    saved_work.change_files(repository, target, saved.tree, saved.raw)
    saved_work.move_head(repository, head, commit, "test")
    saved_work.write_index(repository, saved.index_tree)
    assert (read_all(work.folder), work.git("status", "--porcelain")) == (before, status)


def test_what_no_tree_can_hold_is_named(work: RepositoryBuilder) -> None:
    """A pipe, a repository inside, a file that is gone is none of these."""
    os.mkfifo(work.place("pipe"))
    RepositoryBuilder.init(work.folder / "inner").commit()
    found = saved_work.find_unsavable(work.folder, ["pipe", "inner/", "old", "program", "way"])
    assert sorted(found) == ["inner/", "pipe"]


def test_merge_that_is_under_way_is_refused(work: RepositoryBuilder) -> None:
    """Its save the index."""
    work.step("reset", "--hard", "--quiet").step("checkout", "-q", "-b", "side", "HEAD~1")
    work.write("kept.txt", "3\n").commit().step("checkout", "-q", "main")
    with pytest.raises(AssertionError, match="failed"):
        work.git("merge", "side")
    repository, paths = open_dirty(work)
    with pytest.raises(RollbackError, match="save the index"):
        saved_work.write_saved_work(repository, work.head(), paths, "stamp")


def test_head_that_moved_meanwhile_is_not_moved(work: RepositoryBuilder) -> None:
    """What somebody else committed stays."""
    repository, _ = open_dirty(work)
    with pytest.raises(RollbackError, match="move HEAD"):
        saved_work.move_head(repository, work.head(), work.head("HEAD~1"), "test")


def test_nobody_can_save_without_a_name(builder: RepositoryBuilder) -> None:
    """Git wants to know who it is."""
    builder.write("a").commit().write("a", "b")
    builder.config("user.useConfigOnly", "true")
    repository, paths = open_dirty(builder)
    with pytest.raises(RollbackError, match="can't save"):
        saved_work.write_saved_work(repository, builder.head(), paths, "stamp")


def test_preview_tells_what_would_change_and_what_is_in_the_way() -> None:
    """Long lists are cut unless everything is wanted."""
    page = report.build_preview_page(PREVIEW)
    assert list_lines(page)[0] == "dry run  back to aaaaaaaaaaaa"
    assert find_section(page, "Files")[0] == "  deleted  x␛"
    assert "  and 10 more" in list_lines(page)
    assert "  and 10 more" not in list_lines(report.build_preview_page(PREVIEW, everything=True))
    assert find_section(page, "In the way: not the work of an agent") == ["  y"]


def test_record_tells_where_everything_is_saved() -> None:
    """In the list, too; an empty one says so."""
    assert "saved    refs/handoff-tui/saved/1" in list_lines(report.build_done_page(RECORD))
    assert list_lines(report.build_done_page(RECORD))[0] == "done  back to aaaaaaaaaaaa"
    assert "refs/handoff-tui/saved/1" in list_lines(report.build_rollbacks_page((RECORD,)))[0]
    assert list_lines(report.build_rollbacks_page(())) == ["No rollbacks yet"]


def test_undone_rollback_says_where_head_is() -> None:
    """Not where the rollback had led; the commit it had made is named as left."""
    undone = RECORD.model_copy(update={"state": report.RollbackState.UNDONE})
    lines = list_lines(report.build_done_page(undone))
    assert lines[0] == "undone  everything is back; HEAD is g"
    assert "left     i, the commit it had made" in lines
    files_only = undone.model_copy(update={"commit": undone.saved.head})
    assert not any("left" in line for line in list_lines(report.build_done_page(files_only)))
