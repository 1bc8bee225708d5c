"""What a commit has of the log that the work tree has not."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from handoff_tui.core.errors import UsageError
from handoff_tui.git.repository import open_repository
from handoff_tui.log.show.verify import Fate, Loss, find_losses, resolve_commit
from tests.support.repositories import RepositoryBuilder


def build_path(content: bytes) -> str:
    digest = hashlib.sha256(content).hexdigest()
    return f".handoff-tui/log/{digest[:2]}/{digest}.intoto.jsonl"


ONE, TWO = b"one\n", b"two\n"


@pytest.fixture(params=["sha1", "sha256"])
def repository(tmp_path: Path, request: pytest.FixtureRequest) -> RepositoryBuilder:
    """A commit with two entries, in both object formats."""
    builder = RepositoryBuilder.init(tmp_path / "repository", f"--object-format={request.param}")
    return builder.write(build_path(ONE), ONE).write(build_path(TWO), TWO).commit()


def find(builder: RepositoryBuilder, commit: str = "HEAD") -> tuple[Loss, ...]:
    opened = open_repository(builder.folder)
    return find_losses(opened, resolve_commit(opened, commit))


def fates(builder: RepositoryBuilder) -> dict[str, Fate]:
    return {loss.identifier.removeprefix("sha256:"): loss.fate for loss in find(builder)}


def name(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def test_nothing_is_lost_while_all_is_there(repository: RepositoryBuilder) -> None:
    """Equal content is no loss, and neither is what the commit has not."""
    repository.write(build_path(b"three\n"), b"three\n")
    assert find(repository) == ()


def test_deleted_changed_and_moved_entries_are_told_apart(repository: RepositoryBuilder) -> None:
    """Each with its fate; a moved one with its new name."""
    repository.place(build_path(ONE)).unlink()
    repository.write(build_path(TWO), b"2")
    assert fates(repository) == {name(ONE): Fate.DELETED, name(TWO): Fate.MODIFIED}
    repository.write(".handoff-tui/log/aside", ONE)
    repository.write(build_path(TWO), ONE)
    assert fates(repository) == {name(ONE): Fate.RENAMED, name(TWO): Fate.MODIFIED}


@pytest.mark.parametrize("linked", [".handoff-tui", ".handoff-tui/log"])
def test_folder_behind_a_link_is_lost(repository: RepositoryBuilder, tmp_path: Path, linked: str) -> None:
    """The same files behind a link are not there."""
    repository.place(linked).rename(tmp_path / "away")
    repository.link(linked, tmp_path / "away")
    assert set(fates(repository).values()) == {Fate.MODIFIED}


def test_what_never_was_an_entry_may_be_cleared_away(repository: RepositoryBuilder) -> None:
    """A false file that a commit has is no entry that could be lost."""
    false = build_path(b"never")
    repository.write(false, "something else").write(".handoff-tui/log/notes.txt").commit()
    repository.place(false).unlink()
    repository.place(".handoff-tui/log/notes.txt").unlink()
    assert find(repository) == ()


def test_commit_without_a_log_loses_nothing(tmp_path: Path) -> None:
    """The first log of a repository has no base to be held against."""
    builder = RepositoryBuilder.init(tmp_path / "plain").write("a.txt").commit()
    assert find(builder) == ()


@pytest.mark.parametrize("written", ["nowhere", "", "-x", ":/log", "HEAD^{tree}", "HEAD:.handoff-tui"])
def test_name_of_no_commit_is_an_error(repository: RepositoryBuilder, written: str) -> None:
    """A base that is not here is never an empty base."""
    with pytest.raises(UsageError, match="names no commit"):
        find(repository, written)
