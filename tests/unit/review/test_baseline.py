from __future__ import annotations

from pathlib import Path

import pytest

from handoff_tui.errors import UsageError
from handoff_tui.review.baseline import Baseline, choose_baseline
from handoff_tui.review.desk import open_desk
from tests.support.repositories import RepositoryBuilder


def choose(builder: RepositoryBuilder, named: str | None = None) -> Baseline:
    return choose_baseline(open_desk(builder.folder), named)


def test_named_commit_is_taken(builder: RepositoryBuilder) -> None:
    """Whatever else there is."""
    builder.write("a").commit("one").write("b").commit("two")
    assert choose(builder, "HEAD~1").commit == builder.head("HEAD~1")


def test_unknown_name_is_refused(builder: RepositoryBuilder) -> None:
    """With the option to use."""
    builder.write("a").commit("one")
    with pytest.raises(UsageError, match="no commit here"):
        choose(builder, "nowhere")


def test_unpushed_work_is_compared_with_what_was_pushed(builder: RepositoryBuilder, tmp_path: Path) -> None:
    """The reason names the upstream."""
    builder.write("a").commit("one").push(tmp_path / "remote.git")
    pushed = builder.head()
    builder.write("b").commit("two")
    found = choose(builder)
    assert found.commit == pushed
    assert "origin/main" in found.reason


def test_branch_is_compared_with_where_it_began(builder: RepositoryBuilder) -> None:
    """Without an upstream, the main branch is the measure."""
    builder.write("a").commit("one")
    base = builder.head()
    builder.git("checkout", "-q", "-b", "side")
    builder.write("b").commit("two")
    assert choose(builder).commit == base


def test_no_baseline_is_said(builder: RepositoryBuilder, tmp_path: Path) -> None:
    """On a pushed main branch, and before the first commit, there is none; never a guess."""
    assert choose(builder) == Baseline(None, "there is no commit yet")
    builder.write("a").commit("one").push(tmp_path / "remote.git")
    assert choose(builder).commit is None
