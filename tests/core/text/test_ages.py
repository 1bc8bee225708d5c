from __future__ import annotations

from datetime import timedelta

import pytest

from handoff_tui.core.text.ages import describe_ago, describe_span
from handoff_tui.git.watch.noticed import Watching
from handoff_tui.live.state.app import Loaded
from handoff_tui.tui.widgets.freshness import describe_freshness
from tests.support.inbox_items import MOMENT


@pytest.mark.parametrize(
    ("seconds", "span", "ago"),
    [
        (-5, "0s", "just now"),
        (20, "20s", "20 s ago"),
        (12 * 60, "12m", "12 min ago"),
        (2 * 3600, "2h", "2 h ago"),
        (3 * 86400, "3d", "3 d ago"),
        (20 * 86400, "2w", "2 weeks ago"),
        (800 * 86400, "2y", "2 years ago"),
    ],
)
def test_age_is_told_in_its_largest_unit(seconds: int, span: str, ago: str) -> None:
    """What lies ahead of us is just now: clocks differ."""
    since = MOMENT - timedelta(seconds=seconds)
    assert (describe_span(since, MOMENT), describe_ago(since, MOMENT)) == (span, ago)


def test_unknown_age_is_nothing() -> None:
    """Neither without a time nor without a clock."""
    assert describe_span(None, MOMENT) == describe_ago(MOMENT, None) == ""


@pytest.mark.parametrize(
    ("part", "watching", "words"),
    [
        (Loaded(1, at=MOMENT), Watching.LIVE, "live"),
        (Loaded(1, at=MOMENT, loading=True), Watching.LIVE, "rescanning"),
        (Loaded(1, at=MOMENT, stale=True), Watching.LIVE, "stale, read 3 min ago"),
        (Loaded(1, stale=True), Watching.LIVE, "stale"),
        (Loaded(1, at=MOMENT), Watching.POLLING, "read 3 min ago"),
        (Loaded(1), Watching.RESCANNING, "rescanning"),
        (Loaded(1, at=MOMENT), Watching.GONE, "gone"),
    ],
)
def test_freshness_never_calls_live_what_may_be_old(part: Loaded[int], watching: Watching, words: str) -> None:
    """Only what the watcher follows, and nothing has touched since, is live."""
    cell = describe_freshness(part, watching, MOMENT + timedelta(minutes=3))
    assert cell.text == words
    assert (cell.role == "pass") is (words == "live")
