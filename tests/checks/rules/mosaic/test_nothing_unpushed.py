from __future__ import annotations

import pytest

from handoff_tui.checks.rule import NotApplicableError, RuleFinding, UndecidableError
from handoff_tui.checks.rules.mosaic.nothing_unpushed import NOTHING_UNPUSHED
from handoff_tui.core.repository_facts import RepositoryFacts
from tests.support.session_states import build_state
from tests.support.world import HEAD, MemoryWorld, judge


def judge_facts(remotes: dict[str, str] | None = None, **facts: object) -> list[RuleFinding]:
    values: dict[str, object] = {"root": "/r", "head": HEAD, "branch": "main", **facts}
    repository = RepositoryFacts.model_validate(values)
    return judge(NOTHING_UNPUSHED, MemoryWorld(files=build_state(), repository=repository, known_remotes=remotes or {}))


def test_branch_that_is_pushed_passes() -> None:
    """Nothing ahead of the upstream, whatever it is called; commits of others do not matter."""
    assert judge_facts(upstream="fork/topic", ahead=0, behind=0, branch="topic") == []
    assert judge_facts(upstream="origin/main", ahead=0, behind=4) == []


@pytest.mark.parametrize(("ahead", "words"), [(1, "1 commit of branch topic is"), (3, "3 commits of branch topic are")])
def test_unpushed_commits_are_found(ahead: int, words: str) -> None:
    """The upstream of the branch counts, not a fixed name; the subject holds no number."""
    [found] = judge_facts(branch="topic", upstream="fork/wip", ahead=ahead, behind=0)
    assert found.message == f"{words} not in its upstream fork/wip"
    assert (found.subject, found.command) == ("topic", "git push")


def test_diverged_branch_has_to_be_brought_together_first() -> None:
    """A plain push would be refused."""
    [found] = judge_facts(upstream="origin/main", ahead=2, behind=3)
    assert found.command == "git pull --rebase && git push"
    assert found.actual == "2 commits ahead, and lacks 3 of its own"


@pytest.mark.parametrize(
    ("remotes", "command"),
    [
        ({"origin": "/o", "backup": "/b"}, "git push --set-upstream origin 'feat;x'"),
        ({"fork": "/f"}, "git push --set-upstream fork 'feat;x'"),
        ({}, "git remote add origin ADDRESS && git push --set-upstream origin 'feat;x'"),
    ],
)
def test_branch_without_an_upstream_is_found(remotes: dict[str, str], command: str) -> None:
    """Nobody else can get its commits; the command fits the remotes and is safe to copy."""
    [found] = judge_facts(remotes, branch="feat;x")
    assert found.message == "branch feat;x has no upstream, so nobody else can get its commits"
    assert found.command == command


@pytest.mark.parametrize(
    ("upstream", "command"), [("origin/old/name", "git push origin main:old/name"), ("local", "git push . main")]
)
def test_upstream_that_is_gone_is_found(upstream: str, command: str) -> None:
    """An upstream that does not exist has none of the commits."""
    [found] = judge_facts(upstream=upstream)
    assert f"the upstream {upstream} of branch main is not there" in found.message
    assert found.command == command


def test_detached_head_cannot_be_decided() -> None:
    """Without a branch there is no upstream to compare with, and that is no pass."""
    with pytest.raises(UndecidableError, match="HEAD is detached"):
        judge_facts(branch=None, detached=True)


def test_repository_without_a_commit_does_not_apply() -> None:
    """There is nothing to push yet."""
    with pytest.raises(NotApplicableError, match="no commit to push"):
        judge_facts(head=None)


def test_repository_without_a_handoff_does_not_apply() -> None:
    """Nothing is handed over there."""
    with pytest.raises(NotApplicableError, match="no handoff here"):
        judge(NOTHING_UNPUSHED, MemoryWorld(files={"a.txt": ""}))
