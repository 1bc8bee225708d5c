from __future__ import annotations

import json

from handoff_tui.decisions.pages.gate import build_gate_json, build_gate_page
from handoff_tui.log.entry import NO_BASELINE
from handoff_tui.log.gates.gate_state import GateName
from tests.support.gate_views import APPROVAL, SUBJECT, build_gate_view
from tests.support.reviewed import list_lines


def test_json_has_the_promised_fields() -> None:
    """As the contract of the command line says; a value that is not there is null."""
    value = build_gate_json(build_gate_view())
    assert value["schema"] == "handoff-tui/gate/v1"
    assert (value["handoff"], value["phase"], value["attempt"], value["state"]) == ("H-1", "build", 2, "pending")
    assert (value["why"], value["threshold"]) == (["1 of 2 approvals"], 2)
    assert value["subject"] == {"digest": "sha256:" + "9" * 64, **SUBJECT.model_dump()}
    assert value["approvals"] == [APPROVAL.model_dump(mode="json")]
    assert value["requirement"] is None
    assert json.loads(json.dumps(value)) == value


def test_page_says_what_a_decision_is_bound_to() -> None:
    """Every digest is there whole, beside who made the work and what blocks."""
    text = "\n".join(list_lines(build_gate_page(build_gate_view())))
    for digest in (*SUBJECT.model_dump().values(), "sha256:" + "9" * 64):
        assert digest in text
    for words in ("1 of 2 approvals", "ada@x, robot", "7 of 9 pass, 1 warning", "✗ tests blocks", "bo@x | approve"):
        assert words in text


def test_page_fits_into_eighty_columns() -> None:
    """The digest that people copy is on one line."""
    lines = list_lines(build_gate_page(build_gate_view()))
    assert max(len(line) for line in lines if "999" in line) == 80


def test_missing_baseline_has_its_reason() -> None:
    """Zeros are not shown as if they were a digest."""
    subject = SUBJECT.model_copy(update={"baseline": NO_BASELINE})
    view = build_gate_view(subject=subject, baseline_reason="there is no baseline: nothing is pinned")
    text = "\n".join(list_lines(build_gate_page(view)))
    assert "baseline none: nothing is pinned" in text
    assert NO_BASELINE not in text


def test_many_failing_checks_are_counted_after_the_first() -> None:
    """The page does not run away."""
    view = build_gate_view(failing=tuple(f"check-{number}" for number in range(14)))
    text = "\n".join(list_lines(build_gate_page(view)))
    assert "check-9 blocks" in text
    assert "check-10" not in text
    assert "and 4 more" in text


def test_decisions_are_marked_by_what_they_do() -> None:
    """Counted, against it, and of no effect any more."""
    against = APPROVAL.model_copy(update={"verb": "reject", "counted": False})
    stale = against.model_copy(update={"why": "changed since: the files"})
    lines = list_lines(build_gate_page(build_gate_view({"approvals": (APPROVAL, against, stale)})))
    assert [line[0] for line in lines[-3:]] == ["✓", "✗", "·"]


def test_debts_stay_on_the_page() -> None:
    """Whatever the state is."""
    view = build_gate_view({"state": GateName.APPROVED, "debts": ("sha256:" + "c" * 64,)})
    text = "\n".join(list_lines(build_gate_page(view)))
    assert "the override sha256:cccccccccccc… is a debt" in text


def test_words_of_others_are_made_safe() -> None:
    """A reason or a name cannot repaint the screen."""
    view = build_gate_view({"why": ("bo: \x1b[2Jall is well",)}, producers=("a\u202eb",))
    text = "\n".join(list_lines(build_gate_page(view)))
    assert "\x1b" not in text
    assert "\u202e" not in text
