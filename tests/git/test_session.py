from __future__ import annotations

import random
from pathlib import Path

import pytest

from handoff_tui.git.command import Git
from handoff_tui.git.history.commit_graph import find_ancestors, is_ancestor
from handoff_tui.git.history.commits import (
    count_commits_since,
    find_last_commit,
    read_blobs,
    read_notes,
    resolve_commits,
)
from handoff_tui.git.objects import tree_reader
from handoff_tui.git.objects.tree_reader import TreeStore, find_last_change
from handoff_tui.git.repository import open_repository, reopen_repository
from handoff_tui.git.session import session_of
from tests.support.hostile import write_executable
from tests.support.repositories import RepositoryBuilder

LIMIT = 1000
PATHS = ("a", "b", "d/x", "d/e/y", "d", "missing", "d/missing", "a/below")


def import_history(builder: RepositoryBuilder, seed: int) -> list[str]:
    """Thirty commits that add, change and delete a few files and merge each other, by one `git fast-import`."""
    chance = random.Random(seed)  # noqa: S311 - the same histories every time
    lines: list[str] = []
    for number in range(1, 31):
        lines += ["commit refs/heads/main", f"mark :{number}", f"committer A <a@x> {1_000_000 + number} +0000"]
        lines += [f"data {len(str(number))}", str(number)]
        if number > 1:
            parents = sorted({chance.randrange(max(1, number - 4), number) for _ in range(chance.choice((1, 1, 2, 3)))})
            lines += [f"from :{parents[-1]}", *(f"merge :{parent}" for parent in parents[:-1])]
        for path in chance.sample(("a", "b", "d/x", "d/e/y"), chance.choice((0, 1, 1, 2))):
            content = chance.choice("pqr")
            lines += [f"D {path}"] if chance.random() < 0.2 else [f"M 100644 inline {path}", "data 1", content]
        lines.append("")
    builder.git("fast-import", "--quiet", "--force", stdin="\n".join(lines).encode())
    return builder.git("rev-list", "HEAD").split()


def list_files(builder: RepositoryBuilder, commit: str) -> list[str]:
    store = TreeStore(open_repository(builder.folder).git, "sha1")
    return list(store.list_files(builder.head(f"{commit}^{{tree}}")).files)


@pytest.mark.parametrize("seed", range(6))
def test_history_is_answered_as_git_answers(builder: RepositoryBuilder, seed: int) -> None:
    """The last change of a path, ancestors and distances, over merges and deleted files."""
    commits = import_history(builder, seed)
    git = open_repository(builder.folder).git
    assert list(session_of(git).read_history().parents) == commits
    for path in PATHS:
        assert find_last_change(git, path) == find_last_commit(git, path), path
    for commit in commits[::5]:
        assert count_commits_since(git, commit) == int(builder.git("rev-list", "--count", f"{commit}..HEAD"))
        assert is_ancestor(git, commit, "HEAD")
        assert list_files(builder, commit) == builder.git("ls-tree", "-r", "--name-only", commit).split()
    builder.git("checkout", "--quiet", "--detach", commits[10])
    behind = set(builder.git("rev-list", "HEAD").split())
    assert find_ancestors(open_repository(builder.folder).git, commits) == behind


def test_history_that_is_too_long_is_left_to_git(builder: RepositoryBuilder, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same answers, whether a session knows every commit or only a few."""
    commits = import_history(builder, 0)
    expected = find_last_commit(Git(builder.folder), "a")
    monkeypatch.setattr("handoff_tui.git.session.MOST_LISTED", 5)
    git = open_repository(builder.folder).git
    assert find_last_change(git, "a") == expected
    assert find_ancestors(git, commits) == set(commits)
    assert is_ancestor(git, commits[-1], commits[0])
    assert count_commits_since(git, commits[-1]) == len(commits) - 1
    monkeypatch.setattr(tree_reader, "_MOST_FOLLOWED", 1)
    assert find_last_change(reopen_repository(open_repository(builder.folder)).git, "a") == expected


def test_old_git_answers_as_a_new_one(
    builder: RepositoryBuilder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before 2.36 git knows no `--batch-command`; one `--batch` process and single calls stand in for it."""
    builder.write("a", "one\n").write("d/b", "two\n").commit()
    real = Git(builder.folder).argv("version")[0]
    write_executable(
        tmp_path / "bin" / "git", f'case "$*" in *--batch-command*) echo usage >&2; exit 129;; esac\nexec {real} "$@"'
    )
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/usr/bin:/bin")
    git = open_repository(builder.folder).git
    assert resolve_commits(git, ["HEAD", "none"]) == {"HEAD": builder.head(), "none": None}
    assert read_blobs(git, ["HEAD:a", "HEAD:d", "HEAD:none"], LIMIT) == {
        "HEAD:a": b"one\n",
        "HEAD:d": None,
        "HEAD:none": None,
    }
    assert list_files(builder, "HEAD") == ["a", "d/b"]
    assert session_of(git).read_objects().read("HEAD:d/b", LIMIT) == b"two\n"


def test_notes_in_folders_are_found(builder: RepositoryBuilder) -> None:
    """With many notes, git spreads them over folders."""
    builder.write("a").commit()
    blob, ids = builder.git("hash-object", "-w", "--stdin", stdin=b"x"), [f"{number:040x}" for number in range(3)]
    entries = "".join(f"M 100644 {blob} {one[:2]}/{one[2:]}\n" for one in ids)
    commit = f"commit refs/notes/many\ncommitter A <a@x> 1 +0000\ndata 0\n{entries}\n"
    builder.git("fast-import", "--quiet", stdin=commit.encode())
    assert read_notes(open_repository(builder.folder).git, "many") == dict.fromkeys(ids, blob)
