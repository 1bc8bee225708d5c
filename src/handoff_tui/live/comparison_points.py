"""What a reviewer can compare with beside the baseline: stored snapshots and the latest commits."""

from __future__ import annotations

from handoff_tui.changes.snapshots.store import list_snapshots
from handoff_tui.core.short_id import SHORT_COMMIT, SHORT_DIGEST
from handoff_tui.git.history.commits import read_commits
from handoff_tui.handoffs.session import Desk
from handoff_tui.live.state.desk import Moment

_MOST_COMMITS = 50
_MOST_SNAPSHOTS = 50


def list_moments(desk: Desk) -> tuple[Moment, ...]:
    """Snapshots by their names alone, then commits, newest first; any other can be typed."""
    snapshots = list_snapshots(desk.repository.root)[:_MOST_SNAPSHOTS]
    commits = read_commits(desk.repository.git, _MOST_COMMITS)
    return (
        *(Moment(digest[:SHORT_DIGEST], "snapshot") for digest in snapshots),
        *(Moment(commit.id[:SHORT_COMMIT], "commit", commit.subject, commit.date[:10]) for commit in commits),
    )
