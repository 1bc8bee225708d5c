"""Approvals judged again: the worst answer counts."""

from __future__ import annotations

from handoff_tui.history.replay.report import Answer, Question, ReplayReport, Standing
from tests.support.replays import build_approval, build_replay_report


def test_approval_stands_as_its_worst_answer() -> None:
    """What fails outweighs what is unknown, that what was weaker, and that what holds; no answer is unknown."""
    assert build_approval().standing is Standing.HOLDS
    assert build_approval(configuration=Standing.WEAKER).standing is Standing.WEAKER
    assert build_approval(evidence=Standing.UNKNOWN, configuration=Standing.WEAKER).standing is Standing.UNKNOWN
    assert build_approval(evidence=Standing.UNKNOWN).standing is Standing.UNKNOWN
    assert build_approval(evidence=Standing.UNKNOWN, people=Standing.FAILS).standing is Standing.FAILS
    assert build_approval().model_copy(update={"answers": ()}).standing is Standing.UNKNOWN


def test_withdrawn_approval_is_not_judged() -> None:
    """Whatever would be said of it."""
    taken_back = build_approval(people=Standing.FAILS).model_copy(update={"withdrawn": "sha256:" + "9" * 64})
    assert taken_back.standing is Standing.WITHDRAWN


def test_answer_is_found_by_its_question() -> None:
    """Each question has one answer."""
    answer: Answer = build_approval(rules=Standing.FAILS).find(Question.RULES)
    assert answer.standing is Standing.FAILS


def test_report_counts_by_standing() -> None:
    """Every approval is counted once."""
    report: ReplayReport = build_replay_report(build_approval(), build_approval(rules=Standing.FAILS))
    assert [report.count(standing) for standing in Standing] == [1, 0, 0, 1, 0]
