from __future__ import annotations

from handoff_tui.changes.snapshots.stored_snapshots import capture
from handoff_tui.handoffs.session import open_desk
from handoff_tui.live.comparison_points import list_moments
from handoff_tui.live.state.desk import Moment
from tests.support.repositories import RepositoryBuilder


def test_moments_are_snapshots_and_then_commits(builder: RepositoryBuilder) -> None:
    """Each with a name that can be asked for; the newest commit first."""
    builder.write("a.py").commit("first").write("b.py").commit("second [red]")
    desk = open_desk(builder.folder)
    assert [moment.kind for moment in list_moments(desk)] == ["commit", "commit"]
    stored = capture(desk)
    moments = list_moments(open_desk(builder.folder))
    assert moments[0] == Moment(stored.summary.digest[:12], "snapshot")
    assert moments[1] == Moment(builder.head()[:7], "commit", "second [red]", "2025-06-15")


def test_repository_without_commits_has_no_moments(builder: RepositoryBuilder) -> None:
    """Nothing to compare with is no error."""
    assert list_moments(open_desk(builder.folder)) == ()
