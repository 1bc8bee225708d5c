"""Stored snapshots as public JSON shapes: the list of them, and one whole."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from handoff_tui.changes.snapshots.snapshot import Snapshot, SnapshotSummary

LIST_SCHEMA = "handoff-tui/baseline-list/v1"
SHOW_SCHEMA = "handoff-tui/baseline-show/v1"
PIN_SCHEMA = "handoff-tui/baseline-pin/v1"


def build_baseline_list_json(
    summaries: Sequence[SnapshotSummary], lost_pins: Mapping[str, str] | None = None, foreign: Sequence[str] = ()
) -> dict[str, object]:
    """Counts of a snapshot that cannot be used are null; lost pins name what is not stored."""
    return {
        "schema": LIST_SCHEMA,
        "snapshots": [_build_summary(summary) for summary in summaries],
        "lost_pins": dict(lost_pins or {}),
        "foreign": list(foreign),
    }


def build_baseline_show_json(summary: SnapshotSummary, snapshot: Snapshot) -> dict[str, object]:
    return {"schema": SHOW_SCHEMA, **_build_summary(summary), "snapshot": snapshot.model_dump(mode="json")}


def build_pin_json(handoff: str, digest: str | None) -> dict[str, object]:
    """What is pinned now for a handoff, `*` for all; null where the pin was taken away."""
    return {"schema": PIN_SCHEMA, "handoff": handoff, "digest": digest}


def _build_summary(summary: SnapshotSummary) -> dict[str, object]:
    usable = not summary.problem
    return {
        "digest": summary.digest,
        "commit": summary.commit,
        "branch": summary.branch,
        "date": summary.date,
        "tests": summary.tests if usable else None,
        "packages": summary.packages if usable else None,
        "pinned": summary.pinned,
        "pinned_for": list(summary.pinned_for),
        "problem": summary.problem or None,
    }
