from __future__ import annotations

import pytest

from handoff_tui.handoffs.formats.mosaic.fields import build_tasks, is_finished
from handoff_tui.handoffs.reading.json_document import JsonDocument, parse_json


@pytest.mark.parametrize(
    ("status", "expected"),
    [("COMPLETE", True), ("done", True), ("ACTIVE", False), ("NOT_STARTED", False), ("simmering", None)],
)
def test_is_finished_knows_words_or_says_nothing(status: str, *, expected: bool | None) -> None:
    """An unknown word is neither done nor undone."""
    assert is_finished(status) is expected


def test_build_tasks_reports_what_is_no_task() -> None:
    """Text and objects are tasks; a number is a problem."""
    document = JsonDocument(parse_json("a.json", '["one", {"id": 2, "title": "two", "status": "done"}, 3, ""]'))
    assert document.root is not None
    tasks = list(build_tasks(document.root.elements(), "t", status="waiting"))
    assert [(task.id, task.title, task.status) for task in tasks] == [("t-1", "one", "waiting"), ("2", "two", "done")]
    assert [problem.message for problem in document.problems] == ["[2] should be text or an object, but is a number"]
