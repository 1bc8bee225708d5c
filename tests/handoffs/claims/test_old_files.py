from __future__ import annotations

from handoff_tui.git.repository import open_repository
from handoff_tui.handoffs.claims.evidence import OldFiles
from tests.support.repositories import RepositoryBuilder


def test_old_files_know_contents_and_commits(builder: RepositoryBuilder) -> None:
    """A file as it was, and the last commit that touched it; also after the process that answers was ended."""
    builder.write("a.txt", "one\n").commit("one")
    first = builder.head()
    builder.write("b.txt", "two\n").commit("two")
    files = OldFiles(open_repository(builder.folder).git)
    assert files.find_commit("a.txt") == first
    assert files.find_commit("none") is None
    assert files.read(f"{first}:a.txt", 100) == b"one\n"
    files.close()
    assert files.read(f"{first}:a.txt", 100) == b"one\n"
    assert files.read(f"{first}:b.txt", 100) is None
    files.close()
