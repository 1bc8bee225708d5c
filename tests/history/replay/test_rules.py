"""Whether work that passed would pass the rules of today."""

from __future__ import annotations

import pytest

from handoff_tui.checks.result import CheckResult, Outcome
from handoff_tui.core.severity import Severity
from handoff_tui.history.replay.replay import build_rules_answer
from handoff_tui.history.replay.report import Question, Standing
from handoff_tui.log.review_record import ReviewRecord, ShownCheck
from tests.support.figure_log import build_subject
from tests.support.replay_story import TEXT, ReplayStory
from tests.support.repositories import RepositoryBuilder


def see(name: str, outcome: Outcome, *, blocking: bool = True) -> CheckResult:
    return CheckResult(id=name, outcome=outcome, severity=Severity.HIGH, blocking=blocking, summary="a sentence")


def record(outcome: str, *overridden: str) -> ReviewRecord:
    shown = ShownCheck(id="b", outcome=outcome, severity="high", blocking=True)
    return ReviewRecord(
        handoff="H-1", phase="build", attempt=1, subject=build_subject(), checks=(shown,), overridden=overridden
    )


@pytest.mark.parametrize(
    ("outcome", "then", "standing"),
    [
        (Outcome.PASS, None, Standing.HOLDS),
        (Outcome.NOT_APPLICABLE, None, Standing.HOLDS),
        (Outcome.FAIL, record("pass"), Standing.FAILS),
        (Outcome.FAIL, record("fail", "b"), Standing.HOLDS),
        (Outcome.UNKNOWN, None, Standing.UNKNOWN),
        (Outcome.UNKNOWN, record("pass"), Standing.HOLDS),
        (Outcome.UNKNOWN, record("fail"), Standing.UNKNOWN),
        (Outcome.ERROR, None, Standing.UNKNOWN),
    ],
)
def test_answer_rests_on_today_then_on_the_record(
    outcome: Outcome, then: ReviewRecord | None, standing: Standing
) -> None:
    """A rule that crashes on an old tree is unknown, not failed; what was overridden knowingly is no news."""
    assert build_rules_answer([see("a", Outcome.PASS), see("b", outcome)], then).standing is standing


def test_rule_that_does_not_block_decides_nothing() -> None:
    """Warnings of today close no gate."""
    assert build_rules_answer([see("b", Outcome.FAIL, blocking=False)], None).standing is Standing.HOLDS


def test_rules_run_on_the_tree_of_the_decision(builder: RepositoryBuilder) -> None:
    """What was right when it was approved stays right, whatever the work tree is like now."""
    story = ReplayStory(builder)
    story.decide()
    builder.write("HANDOFF.md", f"{TEXT}- `src/missing.py` subtracts.\n").commit("a false claim")
    standing, words = story.ask(Question.RULES)
    assert (standing, "connections-stable rests on the record" in words) == (Standing.HOLDS, True)


def test_approval_of_a_false_claim_fails_today(builder: RepositoryBuilder) -> None:
    """Even though its record says that all was well."""
    story = ReplayStory(builder)
    builder.write("HANDOFF.md", f"{TEXT}- `src/missing.py` subtracts.\n").commit("a false claim")
    story.decide()
    standing, words = story.ask(Question.RULES)
    assert (standing, "claims-hold fails" in words) == (Standing.FAILS, True)


def test_skip_is_asked_nothing_and_an_unknown_handoff_cannot_be_judged(builder: RepositoryBuilder) -> None:
    """A skip claims nothing; a handoff that no format reads from the commit is said to be none."""
    story = ReplayStory(builder)
    story.decide("skip")
    assert story.ask(Question.RULES)[0] is Standing.HOLDS
    story.decide(handoff="H-99")
    standing, words = story.ask(Question.RULES)
    assert (standing, "H-99 is not read" in words) == (Standing.UNKNOWN, True)
