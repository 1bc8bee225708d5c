from __future__ import annotations

from handoff_tui.tui import messages
from handoff_tui.tui.app import IN_THE_PAST, REQUESTS


def test_requests_answer_every_message_that_asks() -> None:
    """What a view can ask for reaches the desk: no message without its line, no line without its message."""
    assert set(REQUESTS) == set(messages.Request.__subclasses__())


def test_past_can_only_be_looked_at() -> None:
    """Nothing that writes, signs, starts or ends something is among what may be asked for there."""
    words = ("Written", "Removed", "Marked", "Kept", "Confirmed", "Paused", "Decision", "Proposal", "Checks", "Course")
    assert set(REQUESTS) >= IN_THE_PAST
    assert [one.__name__ for one in IN_THE_PAST if any(word in one.__name__ for word in words)] == []
