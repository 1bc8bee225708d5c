"""Past approvals judged again, as a page and as JSON."""

from __future__ import annotations

from handoff_tui.history.replay.page import build_replay_json, build_replay_page, describe_totals
from handoff_tui.history.replay.report import ReplayAnswer, ReplayQuestion, ReplayReport, ReplayVerdict
from tests.support.desk_states import list_lines
from tests.support.replays import ENTRY, HOSTILE, OTHER, build_approval, build_replay_report


def test_page_tells_the_details_of_what_does_not_hold() -> None:
    """With `everything` of all."""
    report = build_replay_report(build_approval(evidence=ReplayVerdict.FAILS, rules=ReplayVerdict.UNKNOWN))
    lines = list_lines(build_replay_page(report))
    text = "\n".join(lines)
    assert lines[0] == "Replay  1 approval: 1 fails"
    assert "✗ evidence" in text
    assert "a detail of the evidence" in text
    assert "? today's rules" in text
    assert "a detail of the people" not in text
    assert "a detail of the people" in "\n".join(list_lines(build_replay_page(report, everything=True)))


def test_many_details_are_cut() -> None:
    """And say how many more there are."""
    answer = ReplayAnswer(
        question=ReplayQuestion.RULES, standing=ReplayVerdict.FAILS, summary="many", details=tuple(map(str, range(9)))
    )
    approval = build_approval().model_copy(update={"answers": (answer,)})
    assert "… and 3 more" in "\n".join(list_lines(build_replay_page(build_replay_report(approval))))


def test_totals_name_what_there_is() -> None:
    """Nothing that is zero."""
    assert describe_totals(build_replay_report()) == "0 approvals"
    both = build_replay_report(build_approval(), build_approval(people=ReplayVerdict.UNKNOWN))
    assert describe_totals(both) == "2 approvals: 1 can't be judged, 1 holds"


def test_json_has_the_promised_shape() -> None:
    """Every question with its answer; the standing of each, and in all."""
    value = build_replay_json(build_replay_report(build_approval(rules=ReplayVerdict.FAILS)))
    assert (value["schema"], value["verdict"]) == ("handoff-tui/log-replay/v1", "clean")
    assert value["totals"] == {"fails": 1, "unknown": 0, "weaker": 0, "holds": 0, "withdrawn": 0}
    approvals = value["approvals"]
    assert isinstance(approvals, list)
    assert (approvals[0]["entry"], approvals[0]["standing"], approvals[0]["void"]) == (ENTRY, "fails", None)
    assert [answer["question"] for answer in approvals[0]["answers"]] == [question.value for question in ReplayQuestion]


def test_hostile_texts_are_made_visible() -> None:
    """A reason or a summary may quote a file."""
    answer = ReplayAnswer(
        question=ReplayQuestion.RULES, standing=ReplayVerdict.FAILS, summary=HOSTILE, details=(HOSTILE,)
    )
    approval = build_approval().model_copy(update={"answers": (answer,), "handoff": HOSTILE, "actor": HOSTILE})
    text = "\n".join(list_lines(build_replay_page(build_replay_report(approval, notes=(HOSTILE,)))))
    assert "\x1b" not in text
    assert "\u202e" not in text


def test_withdrawn_approval_says_so_and_by_what() -> None:
    """In its own line, in the totals, and in JSON."""
    taken_back = build_approval().model_copy(update={"withdrawn": OTHER, "answers": ()})
    report = build_replay_report(build_approval(), taken_back)
    text = "\n".join(list_lines(build_replay_page(report)))
    assert "2 approvals: 1 holds, 1 withdrawn" in text
    assert "withdrawn by its author with entry cdcdcdcdcdcd; not judged" in text
    approvals = build_replay_json(report)["approvals"]
    assert isinstance(approvals, list)
    assert [(one["standing"], one["withdrawn"]) for one in approvals] == [("holds", None), ("withdrawn", OTHER)]


def test_approval_stands_as_its_worst_answer() -> None:
    """What fails outweighs what is unknown, that what was weaker, and that what holds; no answer is unknown."""
    assert build_approval().standing is ReplayVerdict.HOLDS
    assert build_approval(configuration=ReplayVerdict.WEAKER).standing is ReplayVerdict.WEAKER
    assert (
        build_approval(evidence=ReplayVerdict.UNKNOWN, configuration=ReplayVerdict.WEAKER).standing
        is ReplayVerdict.UNKNOWN
    )
    assert build_approval(evidence=ReplayVerdict.UNKNOWN).standing is ReplayVerdict.UNKNOWN
    assert build_approval(evidence=ReplayVerdict.UNKNOWN, people=ReplayVerdict.FAILS).standing is ReplayVerdict.FAILS
    assert build_approval().model_copy(update={"answers": ()}).standing is ReplayVerdict.UNKNOWN


def test_withdrawn_approval_is_not_judged() -> None:
    """Whatever would be said of it."""
    taken_back = build_approval(people=ReplayVerdict.FAILS).model_copy(update={"withdrawn": "sha256:" + "9" * 64})
    assert taken_back.standing is ReplayVerdict.WITHDRAWN


def test_answer_is_found_by_its_question() -> None:
    """Each question has one answer."""
    answer: ReplayAnswer = build_approval(rules=ReplayVerdict.FAILS).find(ReplayQuestion.RULES)
    assert answer.standing is ReplayVerdict.FAILS


def test_report_counts_by_standing() -> None:
    """Every approval is counted once."""
    report: ReplayReport = build_replay_report(build_approval(), build_approval(rules=ReplayVerdict.FAILS))
    assert [report.count(standing) for standing in ReplayVerdict] == [1, 0, 0, 1, 0]
