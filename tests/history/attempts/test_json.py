from __future__ import annotations

import json

from handoff_tui.history.attempts.json import build_history_json, build_history_list_json
from handoff_tui.history.attempts.report import AttemptOutcome, HistoryList, HistorySummary
from tests.support.attempt_records import HISTORY


def test_history_has_its_shape() -> None:
    """Sections as everywhere else; what is not known is null."""
    value = json.loads(json.dumps(build_history_json(HISTORY)))
    assert value["schema"] == "handoff-tui/history/v1"
    first, second = value["attempts"]
    assert (first["check_changes"], first["commits"], first["outcome"]) == (None, None, "rejected")
    assert second["check_changes"]["counts"] == {"new": 1, "fixed": 1}
    assert second["test_changes"]["items"][0]["change"] == "vanished"
    assert [point["addressed"] for point in first["asked"]] == [None, True, False, None]


def test_list_has_its_shape() -> None:
    """One object a phase."""
    row = HistorySummary(handoff="H-3", phase="build", attempts=2, sent_back=1, outcome=AttemptOutcome.APPROVED)
    value = build_history_list_json(HistoryList(rows=(row,)))
    assert (value["schema"], value["fatal"]) == ("handoff-tui/history-list/v1", False)
    assert value["histories"] == [row.model_dump(mode="json")]
