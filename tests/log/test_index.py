"""A verified log, arranged for questions."""

from __future__ import annotations

from handoff_tui.log.entry import PhaseKey
from handoff_tui.log.index import build_log_index
from tests.support.logs import LogBuilder


def test_last_votes_are_found_by_cause_and_not_by_time() -> None:
    """On two branches a person has two last words; once an entry follows both, only that one."""
    log = LogBuilder()
    first = log.add_policy()
    left = log.add_decision(parents=(first,))
    right = log.add_decision(parents=(first,), verb="hold")
    index = build_log_index(log.judge())
    assert {vote.entry.id for vote in index.find_last_decisions("H-1", "implement")} == {left, right}
    last = log.add_decision()
    index = build_log_index(log.judge())
    assert [vote.entry.id for vote in index.find_last_decisions("H-1", "implement")] == [last]


def test_debts_are_open_until_regarded() -> None:
    """An override is a debt until an approval names it; a mere later approval does not settle it."""
    log = LogBuilder()
    log.add_policy()
    override = log.add_decision(verb="override")
    log.add_decision()
    assert list(build_log_index(log.judge()).find_debts()) == [override]
    log.add_decision(regards=(override,))
    assert not build_log_index(log.judge()).find_debts()


def test_decision_is_withdrawn_by_its_own_maker_only() -> None:
    """On the same phase, by an entry that follows it; what others said, or was said elsewhere, stays."""
    log = LogBuilder()
    first = log.add_policy()
    taken, others = log.add_decision(), log.add_decision("bob")
    elsewhere = log.add_decision(phase="review")
    back = log.add_decision(verb="withdraw", regards=tuple(sorted((taken, others, elsewhere))))
    beside = log.add_decision(handoff="H-2")
    log.add_decision(verb="withdraw", handoff="H-2", regards=(beside,), parents=(first,))
    index = build_log_index(log.judge())
    assert index.find_withdrawn() == index.find_withdrawn(PhaseKey("H-1", "implement")) == {taken: back}
    assert index.find_withdrawn(PhaseKey("H-1", "review")) == {}
    void = index.verdict.model_copy(update={"void": {back: "the key was dropped"}})
    assert build_log_index(void).find_withdrawn() == {}
