from __future__ import annotations

from collections.abc import Callable

import pytest

from handoff_tui.checks.context import Context
from handoff_tui.checks.contract import UndecidableError
from handoff_tui.checks.inputs import Inputs
from handoff_tui.checks.registry import RULES
from handoff_tui.checks.result import CheckResult, Outcome
from handoff_tui.checks.run.baseline import Baseline
from handoff_tui.core.severity import Severity
from handoff_tui.handoffs.session import open_desk
from handoff_tui.history.travel.past_session import open_desk_at
from handoff_tui.history.travel.past_world import CommitWorld, is_untold, suit_rules
from tests.support.repositories import RepositoryBuilder


@pytest.fixture
def world(builder: RepositoryBuilder) -> CommitWorld:
    """The second of three commits, compared with the first."""
    builder.write("a.md", "one\n").write("gone", "away\n").commit("first")
    builder.write("a.md", "two\n").write("run.sh").write("HANDOFF.md", "# Handoff\n\nStatus: COMPLETE\n")
    builder.place("run.sh").chmod(0o755)
    builder.place("gone").unlink()
    builder.commit("second").write("a.md", "three\n").commit("third")
    past = open_desk_at(open_desk(builder.folder), "HEAD~1")
    return CommitWorld(past, lambda: Baseline(builder.head("HEAD~2"), "named"))


def test_world_answers_from_the_commit(world: CommitWorld, builder: RepositoryBuilder) -> None:
    """Files, permissions, history, changes and clock of then."""
    assert (world.read("a.md"), world.read("gone"), world.exists("run.sh")) == (b"two\n", None, True)
    assert (world.is_executable("run.sh"), world.is_executable("a.md")) == (True, False)
    assert world.paths() == ("HANDOFF.md", "a.md", "run.sh")
    assert [commit.subject for commit in world.commits()] == ["second", "first"]
    assert {(change.status, change.path) for change in world.changes()} == {
        ("A", "HANDOFF.md"),
        ("M", "a.md"),
        ("D", "gone"),
        ("A", "run.sh"),
    }
    assert world.read_at(world.baseline() or "", "a.md") == b"one\n"
    assert world.now().timestamp() == builder.moment - 60
    assert (world.lag(builder.head("HEAD~2")), world.lag(builder.head())) == (1, None)


def test_world_reads_handoffs_and_measures_them(world: CommitWorld) -> None:
    """An unknown handoff has no verdicts."""
    [handoff] = world.handoffs()
    assert {verdict.claim.kind for verdict in world.verdicts(handoff.id)} == {claim.kind for claim in handoff.claims}
    assert (world.verdicts("none"), world.find("a.md", "HANDOFF.md")) == ((), "a.md")
    assert world.problems() == ()


@pytest.mark.parametrize(
    "ask",
    [
        lambda world: world.exists(".git/hooks/pre-push"),
        lambda world: world.read(".git/hooks/pre-push"),
        lambda world: world.is_writable("a.md"),
        lambda world: world.find_program("sh"),
        lambda world: world.program_answers("sh"),
        lambda world: world.remotes(),
        lambda world: world.reaches("origin"),
        lambda world: world.answers("https://example.org"),
    ],
)
def test_world_refuses_what_is_in_no_commit(world: CommitWorld, ask: Callable[[CommitWorld], object]) -> None:
    """A rule that asks cannot tell, and says why."""
    with pytest.raises(UndecidableError, match=r"is in no commit$"):
        ask(world)


def test_world_without_a_baseline_has_no_changes(builder: RepositoryBuilder) -> None:
    """There is nothing to compare with."""
    builder.write("a").commit()
    assert CommitWorld(open_desk_at(open_desk(builder.folder), "HEAD"), lambda: Baseline(None, "none")).changes() == ()


def test_rules_about_uncommitted_files_cannot_tell(world: CommitWorld) -> None:
    """All others stay as they are."""
    suited = suit_rules(RULES)
    changed = [rule for rule, before in zip(suited, RULES, strict=True) if rule is not before]
    assert {rule.id for rule in changed} == {"changes-are-documented", "nothing-unpushed", "uncommitted-files-agree"}
    for rule in changed:
        with pytest.raises(UndecidableError, match=r"is in no commit$"):
            list(rule.judge(Context(Inputs(world))))


def test_untold_is_told_from_unknown() -> None:
    """Only what is in no commit counts as such."""
    result = CheckResult(id="a", outcome=Outcome.UNKNOWN, severity=Severity.LOW, blocking=True, summary="who knows")
    untold = result.model_copy(update={"summary": "what was pushed by then is in no commit"})
    assert [is_untold(one) for one in (result, untold)] == [False, True]
    assert not is_untold(untold.model_copy(update={"outcome": Outcome.FAIL}))
