from __future__ import annotations

import json

from handoff_tui.changes.comparison.json import build_snapshot_diff_json, count_changes, find_newly_failing
from handoff_tui.changes.comparison.snapshot_diff import (
    BaselineChoice,
    Change,
    ClaimCheck,
    Clash,
    ComparedPair,
    DiffScope,
    Item,
    Section,
    SnapshotDiff,
)
from handoff_tui.core.place import Place

_PAIR = ComparedPair(
    scope=DiffScope.SINCE_BASELINE, before=BaselineChoice(snapshot="1" * 64, commit="a" * 40, reason="you pinned it")
)
_CLAIM = ClaimCheck(
    handoff="H-1", what="packages", claimed=2, measured=1, before=None, where="r.md", agrees=False, text="says 2"
)


def test_shape_has_every_section_with_counts_and_items() -> None:
    """A drop has whether and where it is explained."""
    place = Place(path="r.md", line=3)
    items = (Item("a", Change.REMOVED, "pass", explained=True, explanation=place), Item("b", Change.NEW, after="fail"))
    diff = SnapshotDiff(
        tests=Section(items=items, unchanged=4, before_total=5, after_total=5),
        clashes=(Clash(path="x", owners=("p", "q")),),
        claims=(_CLAIM,),
        notes=("said",),
    )
    read = json.loads(json.dumps(build_snapshot_diff_json(diff, _PAIR)))
    assert read["schema"] == "handoff-tui/snapshot-diff/v1"
    assert (read["scope"], read["before"]["reason"], read["after"]) == ("since-baseline", "you pinned it", None)
    assert (read["unexplained"], read["newly_failing"]) == (0, 1)
    assert read["tests"]["counts"] == {"new": 1, "removed": 1}
    assert read["tests"]["items"][0] == {
        "id": "a",
        "change": "removed",
        "before": "pass",
        "after": None,
        "old_id": None,
        "explained": True,
        "explanation": {"path": "r.md", "line": 3},
        "note": "",
    }
    assert (read["clashes"][0]["owners"], read["claims"][0]["agrees"], read["notes"]) == (["p", "q"], False, ["said"])


def test_without_a_baseline_nothing_is_zero() -> None:
    """Every number is null, with the reason; claims stand all the same."""
    pair = ComparedPair(scope=DiffScope.SINCE_BASELINE, before=BaselineChoice(reason="there is no baseline"))
    read = build_snapshot_diff_json(None, pair, (_CLAIM,))
    nothing = ("unexplained", "newly_failing", "tests", "checks", "packages", "dependencies", "files", "clashes")
    assert all(read[name] is None for name in nothing)
    assert read["before"] == {"snapshot": None, "commit": None, "reason": "there is no baseline"}
    assert len(read["claims"]) == 1 if isinstance(read["claims"], list) else False


def test_new_failures_are_those_of_new_tests_too() -> None:
    """And of checks; what failed before is none."""
    diff = SnapshotDiff(
        tests=Section(items=(Item("a", Change.NEW, after="error"), Item("b", Change.CHANGED, "fail", "error"))),
        checks=Section(items=(Item("c", Change.NEWLY_FAILING, "pass", "timeout"),)),
    )
    assert [(name, item.id) for name, item in find_newly_failing(diff)] == [("tests", "a"), ("checks", "c")]


def test_counts_stand_in_one_order() -> None:
    """That of the enumeration; a change that did not happen is left out."""
    section = Section(items=(Item("a", Change.RENAMED), Item("b", Change.NEW), Item("c", Change.RENAMED)))
    assert list(count_changes(section).items()) == [("new", 1), ("renamed", 2)]


def test_new_findings_are_null_where_nobody_looked_before() -> None:
    """Without check results in the baseline it is not known what is new."""
    items = (Item("f", Change.NEW, after="c: x"), Item("g", Change.FIXED, "c: y"))
    findings = Section(items=items, before_total=1, after_total=1)
    assert build_snapshot_diff_json(SnapshotDiff(findings=findings), _PAIR)["new_findings"] is None
    looked = SnapshotDiff(findings=findings, checks=Section(unchanged=1, before_total=1, after_total=1))
    assert build_snapshot_diff_json(looked, _PAIR)["new_findings"] == 1
