from __future__ import annotations

from handoff_tui.live.feed.notices import Notices, PendingNotices


def test_notices_are_put_together() -> None:
    """Paths add up, and what was once said of refs or everything stays said."""
    merged = Notices(frozenset({"a"})).merge(Notices(frozenset({"b"}), refs=True)).merge(Notices(everything=True))
    assert merged == Notices(frozenset({"a", "b"}), refs=True, everything=True)


def test_pending_ones_are_taken_once() -> None:
    """Who comes second finds nothing; an empty word is nothing to read."""
    pending = PendingNotices()
    assert not pending.add(Notices())
    assert pending.add(Notices(frozenset({"a"})))
    assert pending.add(Notices())
    assert pending.take() == Notices(frozenset({"a"}))
    assert pending.take() is None
