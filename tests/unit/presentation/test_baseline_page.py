from __future__ import annotations

from handoff_tui.models.snapshot import ClaimedTotals, FindingRecord, SnapshotSummary, Unread
from handoff_tui.presentation.baseline_page import build_baseline_list_page, build_baseline_show_page
from tests.support.pages import render_page
from tests.support.snapshots import build_package, build_snapshot

_DIGEST = "1234567890abcdef" * 4


def test_empty_list_says_what_to_do() -> None:
    """Nothing is stored before something is captured."""
    text = render_page(build_baseline_list_page([]))
    assert text == "No snapshot is stored here. `handoff-tui baseline capture` takes one."


def test_list_has_digest_commit_branch_and_counts() -> None:
    """Short forms; the pinned one is marked, and one that cannot be used says why."""
    summaries = [
        SnapshotSummary(digest=_DIGEST, commit="a" * 40, branch="main", tests=1234, packages=22, pinned=True),
        SnapshotSummary(digest="f" * 64, problem="its content has another digest"),
    ]
    assert render_page(build_baseline_list_page(summaries)).splitlines() == [
        "1234567890ab | aaaaaaa | main | 1,234 | 22 | pinned",
        "ffffffffffff | – | – | – | – | its content has another digest",
    ]


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
