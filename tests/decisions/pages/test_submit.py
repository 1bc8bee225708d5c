from __future__ import annotations

from handoff_tui.decisions.pages.gate import build_submit_json, build_submit_page
from tests.support.gate_views import build_entry, build_gate_view
from tests.support.reviewed import list_lines


def test_signed_submission_names_its_entry() -> None:
    """In JSON and on the page, with what to do next."""
    view, entry = build_gate_view(), build_entry()
    value = build_submit_json(view, entry)
    assert (value["schema"], value["entry"]) == ("handoff-tui/submit/v1", entry.id)
    text = "\n".join(list_lines(build_submit_page(view, entry)))
    assert entry.id in text
    assert "handoff-tui wait H-1" in text


def test_unsigned_submission_says_that_nothing_was_written() -> None:
    """Nobody takes it for a record."""
    assert build_submit_json(build_gate_view(), None)["entry"] is None
    assert "nothing was written" in "\n".join(list_lines(build_submit_page(build_gate_view(), None)))
