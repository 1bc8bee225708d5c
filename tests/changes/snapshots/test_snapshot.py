from __future__ import annotations

from handoff_tui.changes.snapshots.snapshot import SnapshotSummary, build_snapshot_summary
from tests.support.snapshots import build_package, build_snapshot


def test_packages_are_those_with_a_manifest_where_there_are_any() -> None:
    """Documents of the builder count these; elsewhere all count."""
    python, manifest = build_package("a", kind="python"), build_package("b")
    assert build_snapshot(packages={"a": python, "b": manifest}).package_count == 1
    assert build_snapshot(packages={"a": python, "c": python}).package_count == 2
    assert build_snapshot().package_count == 0


def test_summary_counts_what_a_list_shows() -> None:
    """Digest, commit, branch, tests, packages, pinned."""
    snapshot = build_snapshot(commit="a" * 40, branch="main", tests={"t": "pass"}, packages={"b": build_package("b")})
    assert build_snapshot_summary("1" * 64, snapshot, ("H-1",)) == SnapshotSummary(
        digest="1" * 64, commit="a" * 40, branch="main", tests=1, packages=1, pinned=True, pinned_for=("H-1",)
    )
    assert not build_snapshot_summary("1" * 64, snapshot).pinned
