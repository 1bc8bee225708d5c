from __future__ import annotations

from pathlib import Path

import pytest

from handoff_tui.checks.run.baseline import Baseline, choose_baseline, choose_usual_baseline
from handoff_tui.core.errors import UsageError
from handoff_tui.handoffs.session import open_desk
from tests.support.gates import GateDesk
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


def test_last_approved_commit_is_preferred(gate_desk: GateDesk) -> None:
    """Of this line of work, and not of these very files; so `check` compares with what a person has seen."""
    bo = gate_desk.person("bo")
    gate_desk.begin(bo)
    approved = gate_desk.builder.head()
    gate_desk.decide(bo, "approve")
    assert choose(gate_desk.builder).commit is None
    gate_desk.commit_log()
    gate_desk.change()
    found = choose(gate_desk.builder)
    assert found == Baseline(approved, "the last approved commit on this branch")
    said = gate_desk.speaking(bo, "check", "--repo", gate_desk.root)
    assert "the last approved commit on this branch" in " ".join(said.stdout.split())
    assert choose_usual_baseline(open_desk(gate_desk.root)).commit is None
    assert choose(gate_desk.builder, "HEAD").commit == gate_desk.builder.head()


def test_broken_log_approves_nothing(gate_desk: GateDesk) -> None:
    """What cannot be believed is no baseline; the usual one is taken."""
    bo = gate_desk.person("bo")
    genesis = gate_desk.begin(bo).removeprefix("sha256:")
    gate_desk.decide(bo, "approve")
    (gate_desk.root / ".handoff-tui" / "log" / genesis[:2] / f"{genesis}.intoto.jsonl").unlink()
    gate_desk.change()
    assert choose(gate_desk.builder).commit is None


def test_commits_of_the_log_are_no_unpushed_work(gate_desk: GateDesk, tmp_path: Path) -> None:
    """A decision that waits to be pushed makes no baseline."""
    gate_desk.begin(gate_desk.person("bo"))
    gate_desk.builder.push(tmp_path / "remote.git")
    pushed = gate_desk.builder.head()
    gate_desk.commit_log()
    assert choose(gate_desk.builder).commit is None
    gate_desk.change()
    assert choose(gate_desk.builder).commit == pushed
