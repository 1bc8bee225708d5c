from __future__ import annotations

from handoff_tui.decisions.pages.decide import (
    build_decision_page,
    build_question,
    build_receipt_json,
    build_receipt_page,
)
from handoff_tui.log.review_record import ShownCheck, ShownClaim
from tests.support.gate_views import POLICY, RECORD, SUBJECT, build_decision_view, build_entry, build_gate_view
from tests.support.reviewed import list_lines


def test_page_shows_everything_that_is_signed() -> None:
    """Subject, review, policy, producers, reason, remarks, what was read, what it regards, and who signs."""
    view = build_decision_view()
    text = "\n".join(list_lines(build_decision_page(view)))
    signed = [
        *SUBJECT.model_dump().values(), view.review, POLICY, "ada@x, robot", "H-1 · build · attempt 2", "reject",
        "no tests", "for the empty table", "a.py:3-5: first", "second", "all in all", "a.py, b.py", *view.referenced_entries,
        "cy@x", "SHA256:abc (user.signingkey)",
    ]  # fmt: skip
    assert [value for value in signed if value not in text] == []


def test_page_shows_the_evidence_of_the_record() -> None:
    """What is stored as seen was seen: warnings, claims, differences, notes."""
    text = "\n".join(list_lines(build_decision_page(build_decision_view())))
    for words in (
        "! style: 3 lines are too long",
        "4 hold, 1 contradicted",
        "✗ 12 tests (RESULTS.md:4)",
        "3 changed files, 1 unexplained drop",
        "there is uncommitted work",
    ):
        assert words in text


def test_long_lists_are_counted() -> None:
    """Of many warnings and contradictions the first are shown, and how many more there are."""
    checks = tuple(ShownCheck(id=f"w{number}", outcome="fail", severity="low", blocking=False) for number in range(9))
    claims = tuple(ShownClaim(text=f"claim {number}", where="x") for number in range(5))
    record = RECORD.model_copy(update={"checks": checks, "contradicted": claims})
    text = "\n".join(list_lines(build_decision_page(build_decision_view(record=record))))
    assert ("w4" in text, "w5" in text, "and 4 more" in text) == (True, False, True)
    assert ("claim 2" in text, "claim 3" in text, "and 2 more" in text) == (True, False, True)


def test_override_names_what_it_goes_over() -> None:
    """And that it is a debt."""
    text = "\n".join(list_lines(build_decision_page(build_decision_view(verb="override"))))
    assert "goes over tests; a debt until settled" in text


def test_security_key_waits_to_be_touched() -> None:
    """Whoever signs with one is told."""
    assert "waits to be touched" in "\n".join(list_lines(build_decision_page(build_decision_view(touch=True))))


def test_two_remarks_are_told_apart() -> None:
    """The further lines of one stand further in than the first line of the next."""
    lines = list_lines(build_decision_page(build_decision_view()))
    where = lines.index("remarks  a.py:3-5: first")
    assert lines[where + 1 : where + 3] == ["           second", "         all in all"]


def test_question_names_the_word_and_the_place() -> None:
    """What scrolled away is said again."""
    question = build_question(build_decision_view())
    assert question == "Type reject to sign this (H-1 · build · attempt 2), anything else to leave it: "


def test_receipt_names_the_entry_and_the_gate() -> None:
    """For people and for scripts."""
    view = build_gate_view()
    value = build_receipt_json(build_entry(), view)
    assert value["schema"] == "handoff-tui/decide/v1"
    assert (value["entry"], value["decision"], value["actor"]) == ("sha256:" + "b" * 64, "approve", "cy@x")
    text = "\n".join(list_lines(build_receipt_page(build_entry(), view)))
    assert "sha256:" + "b" * 64 in text
    assert "pending" in text
    assert "push" in text
