from __future__ import annotations

import hashlib
import os
import struct
from pathlib import Path

import pytest

from handoff_tui.core.errors import CaptureError, GitError
from handoff_tui.git.repository import WorkTree, open_repository, read_work_tree
from handoff_tui.git.work_tree.capture import CapturedTree, write_work_tree
from handoff_tui.git.work_tree.private_index import drop_claims, read_claims
from tests.support.repositories import RepositoryBuilder


def read(builder: RepositoryBuilder) -> WorkTree:
    return read_work_tree(open_repository(builder.folder))


def test_staged_and_unstaged_changes_are_both_seen(builder: RepositoryBuilder) -> None:
    """A change counts whether it is staged, not staged, or both; each path once."""
    for name in ("both", "staged", "unstaged", "deleted", "kept"):
        builder.write(name)
    builder.commit().write("both", "1\n").write("staged", "1\n").step("add", "both", "staged")
    builder.write("both", "2\n").write("unstaged", "2\n").write("added").step("add", "added").write("new")
    (builder.folder / "deleted").unlink()
    facts = read(builder).facts
    assert facts.changed == ("added", "both", "deleted", "staged", "unstaged")
    assert facts.untracked == ("new",)


def test_renamed_file_counts_under_both_names(builder: RepositoryBuilder) -> None:
    """A rename is a change of the old path and of the new one, whatever rename settings say."""
    builder.write("old.txt", "some lines\nof text\n").commit().step("mv", "old.txt", "new.txt")
    assert read(builder).facts.changed == ("new.txt", "old.txt")
    assert read(builder.config("status.renames", "copies")).facts.changed == ("new.txt", "old.txt")


def test_conflicted_merge_lists_its_paths(builder: RepositoryBuilder) -> None:
    """A path in conflict is a change, once, and its blob is ours."""
    builder.write("a.txt", "one\n").commit().step("checkout", "-q", "-b", "side").write("a.txt", "side\n").commit()
    builder.step("checkout", "-q", "main").write("a.txt", "main\n").commit()
    ours = builder.head("HEAD:a.txt")
    with pytest.raises(AssertionError, match="merge"):
        builder.git("merge", "side")
    work_tree = read(builder)
    assert work_tree.facts.changed == ("a.txt",)
    assert work_tree.tracked == {"a.txt": ours}


@pytest.mark.parametrize("flag", ["--assume-unchanged", "--skip-worktree"])
def test_overlooked_files_are_named(builder: RepositoryBuilder, flag: str) -> None:
    """A change that git was told not to see is not seen by git, so the path is named."""
    builder.write("hidden.txt").write("seen.txt").commit().step("update-index", flag, "hidden.txt")
    builder.write("hidden.txt", "changed\n").write("seen.txt", "changed\n")
    work_tree = read(builder)
    assert work_tree.facts.changed == ("seen.txt",)
    assert work_tree.overlooked == ("hidden.txt",)


def test_same_size_and_time_do_not_hide_a_change(builder: RepositoryBuilder) -> None:
    """A repository cannot tell git to trust size and modification time alone."""
    place = builder.write("a.txt", "old\n").folder / "a.txt"
    os.utime(place, (1_000_000_000, 1_000_000_000))
    builder.commit().config("core.checkStat", "minimal").config("core.trustctime", "false").write("a.txt", "new\n")
    os.utime(place, (1_000_000_000, 1_000_000_000))
    age_first_entry(builder.folder / ".git" / "index")
    assert read(builder).facts.changed == ("a.txt",)
    assert builder.git("status", "--porcelain") == ""


def age_first_entry(index: Path) -> None:
    """Lets the index remember an earlier ctime, as if the file had been committed long before it was changed."""
    content = bytearray(index.read_bytes()[:-20])
    struct.pack_into(">I", content, 12, 1_100_000_000)
    index.write_bytes(content + hashlib.sha1(content, usedforsecurity=False).digest())


def test_ignored_and_nested_untracked_files(builder: RepositoryBuilder) -> None:
    """Untracked files are listed one by one, ignored ones not, also where the repository asks for less."""
    builder.write(".gitignore", "*.log\n").commit().write("folder/a").write("folder/b").write("x.log")
    builder.config("status.showUntrackedFiles", "no")
    assert read(builder).facts.untracked == ("folder/a", "folder/b")


def test_upstream_is_counted_ahead_and_behind(builder: RepositoryBuilder, tmp_path: Path) -> None:
    """Commits on each side are counted, also where the repository would rather not."""
    builder.write("a.txt").commit("one").commit("two").push(tmp_path / "remote.git")
    facts = read(builder).facts
    assert (facts.upstream, facts.ahead, facts.behind) == ("origin/main", 0, 0)
    builder.step("reset", "--quiet", "--hard", "HEAD~1").commit("three").commit("four").config(
        "status.aheadBehind", "false"
    )
    facts = read(builder).facts
    assert (facts.ahead, facts.behind) == (2, 1)


def test_upstream_that_is_gone_is_named_without_counts(builder: RepositoryBuilder, tmp_path: Path) -> None:
    """An upstream that no longer exists is still the upstream; nothing can be counted."""
    builder.write("a.txt").commit().push(tmp_path / "remote.git").step("update-ref", "-d", "refs/remotes/origin/main")
    facts = read(builder).facts
    assert (facts.upstream, facts.ahead, facts.behind) == ("origin/main", None, None)


_OLD = "return a + b\n"
_NEW = "return a ^ b\n"
_LATER = 1 << 40
"""Long after everything."""


@pytest.fixture
def indexed(tmp_path: Path) -> RepositoryBuilder:
    """A repository with one commit, long enough ago for git to believe its index."""
    made = RepositoryBuilder.init(tmp_path / "repo").write("src/app.py", _OLD).write("other", "x\n").commit("work")
    for path in ("src/app.py", "other"):
        os.utime(made.folder / path, (1_700_000_000, 1_700_000_000))
    made.git("update-index", "--refresh")
    return made


def capture(indexed: RepositoryBuilder) -> CapturedTree:
    return write_work_tree(open_repository(indexed.folder), indexed.folder.parent / "cache")


def seal(body: bytes) -> bytes:
    return body + hashlib.sha1(body).digest()  # noqa: S324 - as git does


def forge_claims(indexed: RepositoryBuilder, path: str) -> None:
    """Writes into the index that a file is as git last saw it, by its times, number and size of now."""
    place = indexed.folder / ".git/index"
    index, status = bytearray(place.read_bytes()[:-20]), (indexed.folder / path).stat()
    start = index.index(path.encode() + b"\0") - 62
    times = (*divmod(status.st_ctime_ns, 10**9), *divmod(status.st_mtime_ns, 10**9))
    struct.pack_into(">6I", index, start, *times, status.st_dev & 0xFFFFFFFF, status.st_ino & 0xFFFFFFFF)
    struct.pack_into(">3I", index, start + 28, status.st_uid, status.st_gid, status.st_size)
    place.write_bytes(seal(bytes(index)))


@pytest.mark.parametrize("version", ["2", "4"])
@pytest.mark.parametrize("warm", [False, True])
def test_file_that_the_index_claims_to_be_unchanged_is_looked_at(
    indexed: RepositoryBuilder, version: str, *, warm: bool
) -> None:
    """With every fact of the changed file in the index git itself sees no change; the captured tree has it."""
    clean = capture(indexed) if warm else None
    indexed.write("src/app.py", _NEW)
    os.utime(indexed.folder / "src/app.py", (1_700_000_000, 1_700_000_000))
    forge_claims(indexed, "src/app.py")
    assert indexed.git("status", "--porcelain") == ""
    if version == "4":
        indexed.git("update-index", "--index-version", "4")
    captured = capture(indexed)
    assert captured.tree != captured.head_tree
    assert clean is None or captured.tree != clean.tree


def test_tree_that_the_index_claims_for_a_folder_is_not_believed(indexed: RepositoryBuilder) -> None:
    """What git keeps in the index of trees already written may be those of other files."""
    place = indexed.folder / ".git/index"
    indexed.git("read-tree", "HEAD")
    claimed = place.read_bytes()[:-20]
    trees = claimed[claimed.rindex(b"TREE") :]
    indexed.write("src/app.py", _NEW)
    indexed.git("add", "src/app.py")
    entries = place.read_bytes()[:-20]
    place.write_bytes(seal(entries[: entries.rindex(b"TREE")] + trees))
    assert indexed.git("write-tree") == indexed.git("rev-parse", "HEAD^{tree}")
    captured = capture(indexed)
    assert captured.tree != captured.head_tree


def test_what_was_looked_at_is_not_looked_at_again(indexed: RepositoryBuilder) -> None:
    """What our own copy knows of a file counts when the user's index is copied again."""
    capture(indexed)
    ours = (indexed.folder.parent / "cache/work-tree/index").read_bytes()
    known = read_claims(ours, _LATER, "sha1")
    indexed.write("third", "y\n")
    indexed.git("add", "third")
    theirs = (indexed.folder / ".git/index").read_bytes()
    made = read_claims(drop_claims(theirs, known, "sha1").content, _LATER, "sha1")
    looked_at = {identity: claims for identity, claims in made.items() if any(claims[:24])}
    assert looked_at == known
    assert len(made) == len(known) + 1


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"DIRC",
        b"DIRC\0\0\0\x02\0\0\0\x01" + bytes(20),
        b"DIRC\0\0\0\x09\0\0\0\0" + bytes(20),
        b"DIRC\0\0\0\x02\0\0\0\0link\0\0\0\0" + bytes(20),
        b"DIRC\0\0\0\x02\0\0\0\0TREE\0\0\1\0" + bytes(20),
    ],
)
def test_odd_index_is_refused(indexed: RepositoryBuilder, content: bytes) -> None:
    """Cut short, of another version, or with an extension that changes its meaning: never half read."""
    with pytest.raises(ValueError, match=r"short|version|extension"):
        drop_claims(content, {}, "sha1")
    assert read_claims(content, _LATER, "sha1") == {}
    (indexed.folder / ".git/index").write_bytes(content)
    with pytest.raises((CaptureError, GitError)):
        capture(indexed)


def test_damaged_copy_of_ours_tells_nothing(indexed: RepositoryBuilder) -> None:
    """A copy whose checksum does not fit is as good as none."""
    index = (indexed.folder / ".git/index").read_bytes()
    assert len(read_claims(index, _LATER, "sha1")) == 2
    assert read_claims(index[:40] + b"!" + index[41:], _LATER, "sha1") == {}


def test_file_of_the_second_of_the_look_is_not_known(indexed: RepositoryBuilder) -> None:
    """Git cannot tell two changes of one second apart, if the older time is put back."""
    index = (indexed.folder / ".git/index").read_bytes()
    changed = int((indexed.folder / "other").stat().st_ctime)
    assert read_claims(index, changed, "sha1") == {}
