"""An index that says what is not so: a changed file as unchanged, a folder as another tree."""

from __future__ import annotations

import hashlib
import os
import struct
from pathlib import Path

import pytest

from handoff_tui.core.errors import CaptureError, GitError
from handoff_tui.git.repository import open_repository
from handoff_tui.git.work_tree.capture import CapturedTree, write_work_tree
from handoff_tui.git.work_tree.private_index import drop_claims, read_claims
from tests.support.repositories import RepositoryBuilder

_OLD = "return a + b\n"
_NEW = "return a ^ b\n"
_LATER = 1 << 40
"""Long after everything."""


@pytest.fixture
def builder(tmp_path: Path) -> RepositoryBuilder:
    """A repository with one commit, long enough ago for git to believe its index."""
    made = RepositoryBuilder.init(tmp_path / "repo").write("src/app.py", _OLD).write("other", "x\n").commit("work")
    for path in ("src/app.py", "other"):
        os.utime(made.folder / path, (1_700_000_000, 1_700_000_000))
    made.git("update-index", "--refresh")
    return made


def capture(builder: RepositoryBuilder) -> CapturedTree:
    return write_work_tree(open_repository(builder.folder), builder.folder.parent / "cache")


def seal(body: bytes) -> bytes:
    return body + hashlib.sha1(body).digest()  # noqa: S324 - as git does


def forge_claims(builder: RepositoryBuilder, path: str) -> None:
    """Writes into the index that a file is as git last saw it, by its times, number and size of now."""
    place = builder.folder / ".git/index"
    index, status = bytearray(place.read_bytes()[:-20]), (builder.folder / path).stat()
    start = index.index(path.encode() + b"\0") - 62
    times = (*divmod(status.st_ctime_ns, 10**9), *divmod(status.st_mtime_ns, 10**9))
    struct.pack_into(">6I", index, start, *times, status.st_dev & 0xFFFFFFFF, status.st_ino & 0xFFFFFFFF)
    struct.pack_into(">3I", index, start + 28, status.st_uid, status.st_gid, status.st_size)
    place.write_bytes(seal(bytes(index)))


@pytest.mark.parametrize("version", ["2", "4"])
@pytest.mark.parametrize("warm", [False, True])
def test_file_that_the_index_claims_to_be_unchanged_is_looked_at(
    builder: RepositoryBuilder, version: str, *, warm: bool
) -> None:
    """With every fact of the changed file in the index git itself sees no change; the captured tree has it."""
    clean = capture(builder) if warm else None
    builder.write("src/app.py", _NEW)
    os.utime(builder.folder / "src/app.py", (1_700_000_000, 1_700_000_000))
    forge_claims(builder, "src/app.py")
    assert builder.git("status", "--porcelain") == ""
    if version == "4":
        builder.git("update-index", "--index-version", "4")
    captured = capture(builder)
    assert captured.tree != captured.head_tree
    assert clean is None or captured.tree != clean.tree


def test_tree_that_the_index_claims_for_a_folder_is_not_believed(builder: RepositoryBuilder) -> None:
    """What git keeps in the index of trees already written may be those of other files."""
    place = builder.folder / ".git/index"
    builder.git("read-tree", "HEAD")
    claimed = place.read_bytes()[:-20]
    trees = claimed[claimed.rindex(b"TREE") :]
    builder.write("src/app.py", _NEW)
    builder.git("add", "src/app.py")
    entries = place.read_bytes()[:-20]
    place.write_bytes(seal(entries[: entries.rindex(b"TREE")] + trees))
    assert builder.git("write-tree") == builder.git("rev-parse", "HEAD^{tree}")
    captured = capture(builder)
    assert captured.tree != captured.head_tree


def test_what_was_looked_at_is_not_looked_at_again(builder: RepositoryBuilder) -> None:
    """What our own copy knows of a file counts when the user's index is copied anew."""
    capture(builder)
    ours = (builder.folder.parent / "cache/work-tree/index").read_bytes()
    known = read_claims(ours, _LATER, "sha1")
    builder.write("third", "y\n")
    builder.git("add", "third")
    theirs = (builder.folder / ".git/index").read_bytes()
    made = read_claims(drop_claims(theirs, known, "sha1"), _LATER, "sha1")
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
def test_odd_index_is_refused(builder: RepositoryBuilder, content: bytes) -> None:
    """Cut short, of another version, or with an extension that changes its meaning: never half read."""
    with pytest.raises(ValueError, match=r"short|version|extension"):
        drop_claims(content, {}, "sha1")
    assert read_claims(content, _LATER, "sha1") == {}
    (builder.folder / ".git/index").write_bytes(content)
    with pytest.raises((CaptureError, GitError)):
        capture(builder)


def test_damaged_copy_of_ours_tells_nothing(builder: RepositoryBuilder) -> None:
    """A copy whose checksum does not fit is as good as none."""
    index = (builder.folder / ".git/index").read_bytes()
    assert len(read_claims(index, _LATER, "sha1")) == 2
    assert read_claims(index[:40] + b"!" + index[41:], _LATER, "sha1") == {}


def test_file_of_the_second_of_the_look_is_not_known(builder: RepositoryBuilder) -> None:
    """Git cannot tell two changes of one second apart, if the older time is put back."""
    index = (builder.folder / ".git/index").read_bytes()
    changed = int((builder.folder / "other").stat().st_ctime)
    assert read_claims(index, changed, "sha1") == {}
