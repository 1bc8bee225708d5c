from __future__ import annotations

import json

from handoff_tui.changes.snapshots.json import build_baseline_list_json, build_baseline_show_json
from handoff_tui.changes.snapshots.snapshot import SnapshotSummary
from tests.support.snapshots import build_snapshot


def test_list_has_one_object_per_snapshot() -> None:
    """What cannot be counted is null, never zero."""
    rows = (SnapshotSummary(digest="1" * 64, tests=3, pinned=True), SnapshotSummary(digest="2" * 64, problem="damaged"))
    read = json.loads(json.dumps(build_baseline_list_json(rows)))
    assert read["schema"] == "handoff-tui/baseline-list/v1"
    assert [(row["tests"], row["pinned"], row["problem"]) for row in read["snapshots"]] == [
        (3, True, None),
        (None, False, "damaged"),
    ]


def test_one_snapshot_is_shown_whole() -> None:
    """With its content as it is stored."""
    read = build_baseline_show_json(SnapshotSummary(digest="1" * 64), build_snapshot(tests={"t": "fail"}))
    assert json.loads(json.dumps(read))["snapshot"]["tests"] == {"t": "fail"}


def test_list_tells_of_lost_pins_and_foreign_files() -> None:
    """Empty where there are none."""
    read = build_baseline_list_json((), {"*": "1" * 64}, ("x",))
    assert (read["lost_pins"], read["foreign"]) == ({"*": "1" * 64}, ["x"])
    assert build_baseline_list_json(())["lost_pins"] == {}
