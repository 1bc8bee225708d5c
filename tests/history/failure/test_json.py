from __future__ import annotations

import json

from handoff_tui.history.failure.json import build_failure_json
from handoff_tui.history.failure.report import FailureReport
from tests.support.attempt_records import FAILURE


def test_failure_has_its_shape() -> None:
    """Each failed check is a result with what is known of it; the first is named."""
    value = json.loads(json.dumps(build_failure_json(FAILURE)))
    assert (value["schema"], value["first"], value["blocked"]) == ("handoff-tui/failure/v1", "build", True)
    first, second = value["failed"]
    assert (first["id"], first["outcome"], first["holds_back"]) == ("build", "fail", ["tests"])
    assert first["output"]["lines"][0] == {"number": 1, "text": "", "is_error": False, "folded": 10}
    assert (second["last_good"], second["files"]) == (None, None)


def test_nothing_fails() -> None:
    """Then there is no first."""
    value = build_failure_json(FailureReport(blocked=False, passed=2, total=2))
    assert (value["first"], value["failed"]) == (None, [])
