from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from handoff_tui.git.repository import open_repository
from handoff_tui.git.work_tree import digest as stillness
from handoff_tui.git.work_tree.digest import RepositoryDigest
from tests.support.repositories import RepositoryBuilder

Change = Callable[[RepositoryBuilder], object]


def digest(builder: RepositoryBuilder, *own: Path) -> str | None:
    return RepositoryDigest(open_repository(builder.folder), (".mosaic",), own).read_digest()


@pytest.fixture
def still(builder: RepositoryBuilder) -> RepositoryBuilder:
    """Something committed, changed, new, and ignored."""
    builder.write("a.py", "one\n").write("b.py").write(".gitignore", ".mosaic\nbuild\n").commit()
    return builder.write("a.py", "two\n").write("new.py").write(".mosaic/state.json", "{}").write("build/out")


def test_digest_stays_while_nothing_moves(still: RepositoryBuilder) -> None:
    """Looking twice is the same, and what git ignores elsewhere does not count."""
    before = digest(still)
    assert before is not None
    still.write("build/out", "other\n")
    assert digest(still) == before


def replace_by_link(builder: RepositoryBuilder, path: str) -> None:
    builder.place(path).unlink()
    builder.link(path, "a.py")


CHANGES: dict[str, Change] = {
    "another content of a changed file": lambda builder: builder.write("a.py", "six\n"),
    "another content of a new file": lambda builder: builder.write("new.py", "text!"),
    "a file that is gone": lambda builder: builder.place("b.py").unlink(),
    "another mode": lambda builder: builder.place("new.py").chmod(0o755),
    "another state that git ignores": lambda builder: builder.write(".mosaic/state.json", "[]"),
    "a commit": lambda builder: builder.commit(),
    "a renamed file": lambda builder: builder.step("mv", "b.py", "c.py"),
    "a ref": lambda builder: builder.ref("refs/handoff/x"),
    "a note": lambda builder: builder.note("said"),
    "a setting of git": lambda builder: builder.config("core.autocrlf", "input"),
    "a file to overlook": lambda builder: builder.step("update-index", "--assume-unchanged", "b.py"),
    "a link in place of a file": lambda builder: replace_by_link(builder, "new.py"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_digest_moves_with_everything_a_check_can_see(still: RepositoryBuilder, change: str) -> None:
    """No older answer is given to a newer question."""
    before = digest(still)
    CHANGES[change](still)
    assert digest(still) != before


def test_digest_moves_with_files_of_the_user(still: RepositoryBuilder, tmp_path: Path) -> None:
    """Their content, and whether they are there."""
    own = tmp_path / "config.toml"
    absent = digest(still, own)
    own.write_text("a", encoding="utf-8")
    written = digest(still, own)
    own.write_text("b", encoding="utf-8")
    assert len({absent, written, digest(still, own)}) == 3


@pytest.mark.parametrize(("limit", "value"), [("_MOST_CHANGED", 2), ("_MOST_BYTES", 5)])
def test_digest_is_none_where_it_would_cost_too_much(
    still: RepositoryBuilder, monkeypatch: pytest.MonkeyPatch, limit: str, value: int
) -> None:
    """Very many changed files, or very large ones: then the checks simply run."""
    monkeypatch.setattr(stillness, limit, value)
    assert digest(still) is None


def test_digest_of_a_conflict_has_both_sides(builder: RepositoryBuilder) -> None:
    """A file in conflict is read like any other that changed."""
    builder.write("a.py", "one\n").commit().step("branch", "side")
    builder.write("a.py", "two\n").commit().step("checkout", "--quiet", "side")
    builder.write("a.py", "three\n").commit()
    with pytest.raises(AssertionError, match="merge"):
        builder.git("merge", "main")
    before = digest(builder)
    builder.write("a.py", "<<<<<<< mine\n")
    assert digest(builder) != before
