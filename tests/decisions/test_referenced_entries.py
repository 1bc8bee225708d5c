from __future__ import annotations

import pytest

from handoff_tui.core.errors import DecisionForbiddenError
from handoff_tui.decisions.decide import find_referenced_entries
from handoff_tui.log.entry import DecisionVerb
from handoff_tui.log.index import build_log_index
from tests.support.logs import SUBJECT, LogBuilder, build_question


@pytest.fixture
def log() -> LogBuilder:
    """A log with its policy."""
    builder = LogBuilder()
    builder.add_policy()
    return builder


def regard(log: LogBuilder, verb: str, person: str = "alice", *, rewritten: bool = False) -> tuple[str, ...]:
    commit = "9" * 40
    question = (
        build_question(
            phase="BUILD",
            subject=SUBJECT.model_copy(update={"commit": commit}),
            is_ancestor=lambda asked: asked == commit,
        )
        if rewritten
        else build_question(phase="BUILD")
    )
    return find_referenced_entries(build_log_index(log.judge()), question, DecisionVerb(verb), person)


def test_carry_regards_the_approval_of_the_same_files(log: LogBuilder) -> None:
    """One's own, and what was carried before."""
    approval = log.add_decision("alice", phase="BUILD")
    assert regard(log, "carry", rewritten=True) == (approval,)
    with pytest.raises(DecisionForbiddenError, match="approved nothing with exactly these files"):
        regard(log, "carry", "bob", rewritten=True)


def test_carry_of_what_still_holds_is_refused(log: LogBuilder) -> None:
    """There is nothing to carry where nothing was rewritten."""
    log.add_decision("alice", phase="BUILD")
    with pytest.raises(DecisionForbiddenError, match="covers exactly this work"):
        regard(log, "carry")


def test_carry_of_other_files_or_another_attempt_is_refused(log: LogBuilder) -> None:
    """Equal tree, equal attempt, or nothing."""
    log.add_decision("alice", phase="BUILD", subject=SUBJECT.model_copy(update={"tree": "8" * 40}))
    log.add_decision("bob", phase="BUILD", attempt=2)
    for person in ("alice", "bob"):
        with pytest.raises(DecisionForbiddenError):
            regard(log, "carry", person, rewritten=True)


def test_withdrawal_regards_ones_last_decision(log: LogBuilder) -> None:
    """Not another's, and not a withdrawal."""
    log.add_decision("bob", phase="BUILD")
    with pytest.raises(DecisionForbiddenError, match="no decision to withdraw"):
        regard(log, "withdraw")
    hold = log.add_decision("alice", "hold", phase="BUILD")
    assert regard(log, "withdraw") == (hold,)
    log.add_decision("alice", "withdraw", phase="BUILD", regards=(hold,))
    with pytest.raises(DecisionForbiddenError):
        regard(log, "withdraw")


def test_approval_settles_the_debts_of_this_gate(log: LogBuilder) -> None:
    """All of them, whoever made them; those of another phase stay."""
    first = log.add_decision("alice", "override", phase="BUILD")
    second = log.add_decision("bob", "override", phase="BUILD")
    log.add_decision("bob", "override", phase="release")
    assert regard(log, "approve") == tuple(sorted((first, second)))
    assert regard(log, "reject") == ()
