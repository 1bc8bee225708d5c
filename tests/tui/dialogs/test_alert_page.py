"""A log that is not intact: what is wrong, what follows, what to do."""

from __future__ import annotations

from handoff_tui.live.state.app import AppState, RepositoryPart
from handoff_tui.tui.dialogs.alert import build_alert_page, find_alarm
from tests.support.reviewed import list_lines

SOUND = RepositoryPart("/a", "a")
BROKEN = RepositoryPart("/b", "b", fatal=("an entry is gone\x1b[2K", *(f"problem {n}" for n in range(20))))


def test_alarm_is_raised_by_what_is_fatal() -> None:
    """Only repositories whose logs are not intact; equal problems are an equal alarm."""
    assert find_alarm(AppState(repositories=(SOUND,))) == ()
    assert find_alarm(AppState(repositories=(SOUND, BROKEN))) == (("/b", BROKEN.fatal),)


def test_alert_tells_what_is_wrong_and_what_follows() -> None:
    """Every gate is closed; the list is cut, and nothing in it is obeyed."""
    text = "\n".join(list_lines(build_alert_page(find_alarm(AppState(repositories=(BROKEN,))))))
    assert "THE SIGNED LOG IS NOT INTACT" in text
    assert "Every gate of this repository is closed" in text
    assert "an entry is gone␛[2K" in text
    assert "… and 9 more" in text
    assert "handoff-tui log verify" in text
