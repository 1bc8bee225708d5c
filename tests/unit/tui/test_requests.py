from __future__ import annotations

from handoff_tui.tui import messages
from handoff_tui.tui.requests import REQUESTS


def test_requests_answer_every_message_that_asks() -> None:
    """What a view can ask for reaches the desk: no message without its line, no line without its message."""
    assert set(REQUESTS) == set(messages.Asked.__subclasses__())
