from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from handoff_tui.core.errors import GitError
from handoff_tui.git import stream as git_stream
from handoff_tui.git.command import Git
from handoff_tui.git.stream import GitStream, open_stream
from tests.support.repositories import RepositoryBuilder


def has_children() -> bool:
    try:
        os.waitpid(-1, os.WNOHANG)
    except ChildProcessError:
        return False
    return True


def test_chunks_are_the_whole_output(builder: RepositoryBuilder) -> None:
    """Nothing is lost or added, also over many reads."""
    content = os.urandom(300_000)
    builder.write("a", content).commit()
    with open_stream(Git(builder.folder), "cat-file", "blob", "HEAD:a") as stream:
        assert b"".join(stream.chunks()) == content
        assert stream.finish().ok


@pytest.mark.parametrize("content", [b"", b"a", b"a\n", b"\n\n", b"a\nb\n" * 50_000, b"x" * 200_000 + b"\ny", b"a\r\n"])
def test_lines_are_those_of_the_output(builder: RepositoryBuilder, content: bytes) -> None:
    """Only a newline ends a line, wherever the reads happen to end."""
    builder.write("a", content).commit()
    with open_stream(Git(builder.folder), "cat-file", "blob", "HEAD:a") as stream:
        lines = list(stream.lines())
    assert lines == (content.removesuffix(b"\n").split(b"\n") if content else [])


def test_leaving_early_ends_git(builder: RepositoryBuilder) -> None:
    """Who has seen enough leaves no process behind, after an error too."""
    builder.write("a", b"x" * 10_000_000).commit()
    with open_stream(Git(builder.folder), "cat-file", "blob", "HEAD:a") as stream:
        assert next(stream.chunks())
    assert not has_children()

    def read_and_fail(stream: GitStream) -> None:
        next(stream.chunks())
        raise KeyError("of the reader")

    with pytest.raises(KeyError), open_stream(Git(builder.folder), "cat-file", "blob", "HEAD:a") as stream:
        read_and_fail(stream)
    assert not has_children()


def test_failure_is_told_at_the_end(builder: RepositoryBuilder) -> None:
    """The answer has the exit code and the words of git."""
    with open_stream(Git(builder.folder), "cat-file", "blob", "nothing") as stream:
        assert list(stream.chunks()) == []
        answer = stream.finish()
    assert (answer.ok, answer.complaint) == (False, "Not a valid object name nothing")


def test_silence_has_an_end(builder: RepositoryBuilder, monkeypatch: pytest.MonkeyPatch) -> None:
    """A git that says nothing for too long is ended with an error."""
    monkeypatch.setattr(git_stream, "TIMEOUT_SECONDS", 0.05)
    fifo = builder.folder / "fifo"
    os.mkfifo(fifo)
    with (
        pytest.raises(GitError, match="did not answer"),
        open_stream(Git(builder.folder), "hash-object", str(fifo)) as stream,
    ):
        list(stream.chunks())
    assert not has_children()


def test_words_that_no_process_can_be_given_are_refused(builder: RepositoryBuilder) -> None:
    """A lone surrogate is an expected error."""
    with pytest.raises(GitError, match="could not be started"), open_stream(Git(builder.folder), "cat-file", "\ud800"):
        pass


def test_generator_that_is_dropped_ends_git(builder: RepositoryBuilder) -> None:
    """Closing a generator around a stream is leaving it."""
    builder.write("a", b"x" * 10_000_000).commit()

    def read() -> Iterator[bytes]:
        with open_stream(Git(builder.folder), "cat-file", "blob", "HEAD:a") as stream:
            yield from stream.chunks()

    chunks = read()
    assert isinstance(next(chunks), bytes)
    assert has_children()
    chunks.close()  # type: ignore[attr-defined]
    assert not has_children()
