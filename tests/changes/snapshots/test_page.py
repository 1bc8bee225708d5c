from __future__ import annotations

import json

from handoff_tui.changes.snapshots.page import (
    build_baseline_capture_page,
    build_baseline_list_json,
    build_baseline_list_page,
    build_baseline_show_json,
    build_baseline_show_page,
)
from handoff_tui.changes.snapshots.snapshot import ClaimedTotals, FindingRecord, SnapshotSummary, Unread
from tests.support.pages import render_page
from tests.support.snapshots import build_package, build_snapshot

_DIGEST = "1234567890abcdef" * 4


def test_empty_list_says_what_to_do() -> None:
    """Nothing is stored before something is captured."""
    text = render_page(build_baseline_list_page([]))
    assert text == "No snapshots stored here. `handoff-tui baseline capture` takes one."


def test_list_has_digest_commit_branch_and_counts() -> None:
    """Short forms; the pinned one is marked, and one that cannot be used says why."""
    date = "2025-06-15T12:00:00+00:00"
    summaries = [
        SnapshotSummary(
            digest=_DIGEST, commit="a" * 40, branch="main", date=date, tests=1234, packages=22, pinned=True
        ),
        SnapshotSummary(digest="e" * 64, pinned=True, pinned_for=("H-1", "H-2")),
        SnapshotSummary(digest="f" * 64, problem="does not have the content that its name says"),
    ]
    assert render_page(build_baseline_list_page(summaries)).splitlines() == [
        "1234567890ab | aaaaaaa | 2025-06-15 | main | 1,234 | 22 | pinned",
        "eeeeeeeeeeee | – | – | – | 0 | 0 | pinned for H-1, H-2",
        "",
        "Unusable  1",
        "  ffffffffffff  does not have the content that its name says",
    ]


def test_list_names_pins_of_what_is_not_stored_and_foreign_files() -> None:
    """Nothing below the folder is passed over in silence."""
    page = build_baseline_list_page([], {"*": "a" * 64, "H-1": "b" * 64}, [".handoff-tui/baselines/notes.txt"])
    assert render_page(page).splitlines()[1:] == [
        "",
        "Pinned, but not stored here  2",
        "  aaaaaaaaaaaa  for every handoff",
        "  bbbbbbbbbbbb  for H-1",
        "",
        "Not a snapshot  1",
        "  .handoff-tui/baselines/notes.txt",
    ]


def test_captured_snapshot_is_told_in_numbers() -> None:
    """Where it was taken, how much there is of each, and what could not be read."""
    snapshot = build_snapshot(
        commit="a" * 40,
        tests={"t1": "pass", "t2": "fail"},
        reports={"report.xml": "sha256:0"},
        checks={"claims-hold": "pass"},
        unread=(Unread(path="broken.xml", reason="it is not XML"),),
    )
    summary = SnapshotSummary(digest=_DIGEST)
    lines = render_page(build_baseline_capture_page(summary, snapshot, is_new=True)).splitlines()
    assert lines[0] == f"snapshot {_DIGEST}  stored"
    assert "tests    2: 1 fail, 1 pass, from 1 report" in lines
    assert "checks   1: 1 pass" in lines
    assert lines[-1] == "  broken.xml  it is not XML"
    again = render_page(build_baseline_capture_page(summary, build_snapshot(), is_new=False))
    assert "already stored with this content" in again
    assert "no test report was read" in again


def test_snapshot_is_shown_with_what_was_counted_claimed_and_not_read() -> None:
    """Tests that pass are a number, those that do not are listed."""
    snapshot = build_snapshot(
        commit="a" * 40,
        tests={"t1": "pass", "t2": "fail"},
        reports={"report.xml": "sha256:0"},
        packages={"manifest:p": build_package("p", assets={"x": ""})},
        checks={"claims-hold": "pass"},
        findings={"f": FindingRecord(check="claims-hold", message="22 is not 21", path="r.md")},
        files={"x": "sha256:" + "ab" * 32},
        measures={"coverage_basis_points": 8100},
        claimed={
            "H-1": ClaimedTotals(where="r.md", packages=3, tests={"total": 2}, baseline_packages=4, baseline_tests=5)
        },
        unread=(Unread(path="broken.xml", reason="it is not XML"),),
    )
    text = render_page(build_baseline_show_page(SnapshotSummary(digest=_DIGEST, pinned=True), snapshot))
    for line in (
        f"snapshot {_DIGEST}  pinned",
        "Tests  2: 1 fail, 1 pass, from 1 report",
        "  t2  fail",
        "  manifest:p  1.0.0, 1 asset, p/manifest.json",
        "  claims-hold: 22 is not 21  r.md",
        "  x  abababababab",
        "  coverage  81.00 %",
        "  H-1  3 packages; own tests: total 2; baseline of 4 packages and 5 tests; r.md",
        "  broken.xml  it is not XML",
    ):
        assert line in text.splitlines()
    assert "  t1  pass" not in text


def test_long_list_is_cut_unless_everything_is_asked_for() -> None:
    """What is left out is counted."""
    snapshot = build_snapshot(tests={f"t{number}": "fail" for number in range(10)})
    summary = SnapshotSummary(digest=_DIGEST)
    assert "… and 2 more; --all shows them" in render_page(build_baseline_show_page(summary, snapshot))
    assert "t9  fail" in render_page(build_baseline_show_page(summary, snapshot, everything=True))


def test_snapshot_without_reports_says_so() -> None:
    """Nothing read is not the same as no tests."""
    assert "no test report was read" in render_page(
        build_baseline_show_page(SnapshotSummary(digest="1"), build_snapshot())
    )


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
