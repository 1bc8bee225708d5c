from __future__ import annotations

import pytest

from handoff_tui.core.errors import DecisionForbiddenError
from handoff_tui.decisions.decide import find_regards, list_own
from handoff_tui.log.gates.gate import Target
from handoff_tui.log.index import build_log_index
from handoff_tui.log.record import DecisionVerb
from tests.support.logs import NOW, SUBJECT, LogBuilder


@pytest.fixture
def log() -> LogBuilder:
    """A log with its policy."""
    builder = LogBuilder()
    builder.add_policy()
    return builder


def regard(log: LogBuilder, verb: str, person: str = "alice", *, rewritten: bool = False) -> tuple[str, ...]:
    target = Target(
        handoff="H-1",
        phase="BUILD",
        attempt=1,
        subject=SUBJECT.model_copy(update={"commit": "9" * 40}) if rewritten else SUBJECT,
        producers=frozenset(),
        now=NOW,
        is_ancestor=lambda commit: not rewritten or commit == "9" * 40,
    )
    return find_regards(build_log_index(log.judge()), target, DecisionVerb(verb), person)


def test_carry_regards_the_approval_of_the_same_files(log: LogBuilder) -> None:
    """One's own, and what was carried before."""
    approval = log.add_decision("alice", phase="BUILD")
    assert regard(log, "carry", rewritten=True) == (approval,)
    with pytest.raises(DecisionForbiddenError, match="approved nothing with these very files"):
        regard(log, "carry", "bob", rewritten=True)


def test_carry_of_what_still_holds_is_refused(log: LogBuilder) -> None:
    """There is nothing to carry where nothing was rewritten."""
    log.add_decision("alice", phase="BUILD")
    with pytest.raises(DecisionForbiddenError, match="exactly what is here"):
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
    with pytest.raises(DecisionForbiddenError, match="no decision of yours"):
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


def test_own_decisions_are_the_last_ones(log: LogBuilder) -> None:
    """Of one person, at one gate."""
    log.add_decision("alice", phase="BUILD")
    last = log.add_decision("alice", "hold", phase="BUILD")
    log.add_decision("bob", phase="BUILD")
    index = build_log_index(log.judge())
    target = Target("H-1", "BUILD", 1, SUBJECT, frozenset(), NOW, lambda _: True)
    assert [vote.entry.id for vote in list_own(index, target, "alice")] == [last]
