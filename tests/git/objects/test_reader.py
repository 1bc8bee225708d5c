from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from handoff_tui.core.errors import GitError
from handoff_tui.git.history.commits import read_blobs, read_trees
from handoff_tui.git.objects import reader as object_reader
from handoff_tui.git.objects.reader import ObjectReader
from handoff_tui.git.repository import open_repository
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
    """A folder as git stores it; nothing for what is none."""
    assert reader.read_tree(name, LIMIT) == read_trees(reader._git, [name], LIMIT)[name]
    assert reader.read("HEAD:a.txt", LIMIT) == b"one\n"
