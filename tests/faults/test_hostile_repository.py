"""Opening and reading a hostile repository runs nothing, changes nothing, and shows what is true."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from handoff_tui.git.command import Git
from handoff_tui.git.history.commits import (
    count_commits_since,
    find_last_commit,
    read_blobs,
    read_commits,
    read_notes,
    read_refs,
    resolve_commits,
)
from handoff_tui.git.objects.tree_files import read_tree_files
from handoff_tui.git.objects.tree_reader import find_files_in
from handoff_tui.git.repository import Repository, WorkTree, open_repository, read_work_tree
from handoff_tui.git.signing.signing_key import read_identity
from tests.support.fingerprint import compare_fingerprints, read_fingerprint
from tests.support.hostile import DRIVERS, TRUE_SUBJECTS, HostileRepository, write_executable

LIMIT = 100_000


def read_history(repository: Repository) -> None:
    git = repository.git
    names = [commit.id for commit in read_commits(git, 100)]
    read_refs(git)
    read_notes(git, "handoff")
    resolve_commits(git, [*names, "nothing"])
    count_commits_since(git, names[-1])
    find_last_commit(git, "README.md")
    find_files_in(git, names[0], ["README.md"])


def read_all_blobs(repository: Repository) -> None:
    read_blobs(repository.git, [f"HEAD:{file.path}" for file in read_tree_files(repository.git, "HEAD", {})], LIMIT)


DIFFS = (
    ("diff", "--", "README.md", "notes.log"),
    ("diff", "HEAD~2", "HEAD"),
    ("diff-index", "-p", "HEAD", "--", "README.md"),
    ("log", "-p", "-3"),
    ("show", "HEAD~1"),
)


def read_diffs(repository: Repository) -> None:
    for command in DIFFS:
        repository.git.read(*command)


READS: tuple[Callable[[Repository], object], ...] = (
    read_work_tree,
    read_history,
    read_all_blobs,
    read_diffs,
    lambda repository: read_identity(repository.git),
)


@pytest.mark.parametrize("read", READS, ids=lambda read: str(getattr(read, "__name__", read)))
def test_hostile_repository_runs_nothing_and_stays_as_it_is(
    hostile_repository: HostileRepository, read: Callable[[Repository], object]
) -> None:
    """Every way of reading leaves no canary, and the whole folder as it was, times and shared index included."""
    before = read_fingerprint(hostile_repository.folder)
    read(open_repository(hostile_repository.folder))
    assert hostile_repository.list_fired() == []
    assert compare_fingerprints(before, read_fingerprint(hostile_repository.folder)) == []


def test_hostile_submodule_runs_nothing_when_opened_itself(hostile_repository: HostileRepository) -> None:
    """A submodule's own configuration is disarmed when the submodule is the repository under review."""
    before = read_fingerprint(hostile_repository.folder)
    repository = open_repository(hostile_repository.folder / "sub")
    assert read_work_tree(repository).facts.changed == ()
    assert hostile_repository.list_fired() == []
    assert compare_fingerprints(before, read_fingerprint(hostile_repository.folder)) == []


def test_hostile_repository_shows_the_true_history(hostile_repository: HostileRepository) -> None:
    """Replace refs, grafts, a foreign output encoding and a decoy in the environment change nothing of what is read."""
    repository = open_repository(hostile_repository.folder)
    subjects = [commit.subject for commit in read_commits(repository.git, 100)]
    assert subjects == ["add the submodule sub", *TRUE_SUBJECTS]
    contents = read_blobs(repository.git, [hostile_repository.replaced_blob], LIMIT)
    assert contents == {hostile_repository.replaced_blob: b"true\n"}
    assert count_commits_since(repository.git, "HEAD~4") == 4


def test_hostile_repository_shows_the_true_work_tree(hostile_repository: HostileRepository) -> None:
    """Files whose times changed but not their bytes are unchanged; a changed one and an untracked one are seen."""
    (hostile_repository.folder / "README.md").write_text("other\n")
    (hostile_repository.folder / "new.txt").write_text("new\n")
    work_tree: WorkTree = read_work_tree(open_repository(hostile_repository.folder))
    assert work_tree.facts.root == str(hostile_repository.folder)
    assert work_tree.facts.changed == ("README.md",)
    assert work_tree.facts.untracked == ("new.txt",)
    assert work_tree.facts.submodules == ("sub",)
    assert {file for file in DRIVERS.values() if file} < work_tree.tracked.keys()


def test_hostile_repository_gives_the_true_diff(hostile_repository: HostileRepository) -> None:
    """A diff compares the files themselves, without colour, whatever drivers the repository names."""
    diff = open_repository(hostile_repository.folder).git.read("diff", "HEAD~2", "HEAD~1", "--", "notes.log")
    assert b"\n-third\n+fourth\n" in diff
    assert b"\x1b" not in diff


def test_hostile_repository_does_not_fetch_a_missing_blob(hostile_repository: HostileRepository) -> None:
    """A promised blob that is not there is nothing, and the others in the same question are still read."""
    git = open_repository(hostile_repository.folder).git
    contents = read_blobs(git, [hostile_repository.promised_blob, "HEAD:README.md"], LIMIT)
    assert contents == {hostile_repository.promised_blob: None, "HEAD:README.md": b"true\n"}
    assert hostile_repository.list_fired() == []


def test_hostile_fixture_bites_plain_git(hostile_repository: HostileRepository) -> None:
    """The plants work: plain git runs them, so a test that finds no canary says something."""
    before = read_fingerprint(hostile_repository.folder)
    assert b"A false history" in hostile_repository.run_plain_git("log", "--encoding=UTF-8")
    (hostile_repository.folder / "README.md").write_text("other\n")
    for command in (
        ("status",),
        ("-c", "filter.processed.required=false", "status"),
        ("--no-replace-objects", "log", "-p", "-2"),
        ("diff", "--", "README.md"),
        ("peek",),
        ("cat-file", "-p", hostile_repository.promised_blob),
    ):
        hostile_repository.run_plain_git(*command)
    fired = set(hostile_repository.list_fired())
    expected = {f"filter.{name}.clean" for name, file in DRIVERS.items() if file}
    expected |= {f"filter.{name}.clean" for name in ("included", "conditional", "worktree", "informed")}
    expected |= {"worktree core.fsmonitor", "submodule core.fsmonitor", "hook post-index-change", "promisor"}
    expected |= {"filter.processed.process", "diff.converted.textconv", "diff.commanded.command", "alias.peek"}
    expected |= {"gpg.program"}
    assert expected - fired == set()
    assert compare_fingerprints(before, read_fingerprint(hostile_repository.folder)) != []


def test_hostile_environment_bites_plain_git(hostile_repository: HostileRepository) -> None:
    """The surrounding variables work, too: they lead git to the decoy and leave a trace."""
    plain = Git(hostile_repository.folder)
    plain._environment = dict(os.environ)
    assert plain.run("log", "--format=%s").text == "A decoy"
    assert "GIT_TRACE" in hostile_repository.list_fired()


def test_user_filter_is_honoured_against_a_planted_one(
    hostile_repository: HostileRepository, isolated_user: Path, tmp_path: Path
) -> None:
    """A filter that the user set for all repositories keeps its value although the repository plants another."""
    canary = tmp_path / "the-user-filter-ran"
    script = write_executable(tmp_path / "user-filter", f': > "{canary}"\nexec cat')
    (isolated_user / "gitconfig").write_text(f'[filter "plain"]\n\tclean = {script}\n')
    repository = open_repository(hostile_repository.folder)
    assert ("filter.plain.clean", str(script)) in repository.git.overrides
    read_work_tree(repository)
    assert canary.exists()
    assert hostile_repository.list_fired() == []
