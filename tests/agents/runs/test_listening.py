"""What a supervisor hears of an agent's program: when it only complains, it is stopped."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from handoff_tui.agents.runs.listening import MessagePipe, StreamListener, build_message
from handoff_tui.agents.transcript.tally import RunLimits

_RETRY = b'{"type":"system","subtype":"api_retry","attempt":1,"max_retries":10,"error_status":%s,"error":"%s"}\n'
_ANSWER = b'{"type":"assistant","message":{"content":[{"type":"text","text":"hi"}]}}\n'


class _Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> _Clock:
    clock = _Clock()
    monkeypatch.setattr(time, "monotonic", clock)
    return clock


@pytest.mark.parametrize(
    ("complaint", "lacks_login", "seconds", "trouble"),
    [
        (_RETRY % (b"401", b"authentication_failed"), False, 5, "login"),
        (_RETRY % (b"null", b"unknown"), False, 120, "network"),
        (_RETRY % (b"null", b"unknown"), True, 5, "login"),
    ],
    ids=["no login", "no network", "neither"],
)
def test_program_that_only_complains_is_stopped(
    tmp_path: Path, clock: _Clock, complaint: bytes, *, lacks_login: bool, seconds: int, trouble: str
) -> None:
    """A missing login within seconds; a network may come back, so it gets two minutes, but not without a login."""
    listener = StreamListener("claude", RunLimits(), str(tmp_path / "transcript"), lacks_login=lacks_login)
    listener.hear(complaint)
    assert listener.find_stop() is None
    clock.now = seconds - 1
    listener.hear(complaint)
    assert listener.find_stop() is None
    clock.now = seconds + 1
    stop = listener.find_stop()
    assert stop is not None
    assert (stop.ending, bool(stop.why)) == ("gave-up", True)
    assert listener.build_usage()["trouble"] == trouble


def test_program_that_recovers_goes_on(tmp_path: Path, clock: _Clock) -> None:
    """An answer of the model ends the trouble; a machine that slept for a day loses nothing."""
    listener = StreamListener("claude", RunLimits(), str(tmp_path / "transcript"))
    listener.hear(_RETRY % (b"null", b"unknown"))
    assert listener.find_stop() is None
    clock.now = 86_400.0
    listener.hear(_ANSWER)
    assert listener.find_stop() is None
    assert (tmp_path / "transcript").read_text(encoding="utf-8").splitlines()[-1] == "hi"


def test_transcript_that_cant_be_written_stops_nothing(tmp_path: Path) -> None:
    """The agent may have deleted the folder; what it used is counted all the same."""
    listener = StreamListener("claude", RunLimits(), str(tmp_path / "gone" / "transcript"))
    listener.hear(_ANSWER)
    assert listener.build_usage()["turns"] == 1


def test_messages_are_handed_over_as_they_come(tmp_path: Path) -> None:
    """The prompt first, then what is added; a reader that is gone isn't a problem."""
    place = tmp_path / "messages"
    place.write_bytes(build_message("first"))
    pipe = MessagePipe(str(place))
    assert pipe.send()
    assert not pipe.send()
    with place.open("ab") as file:
        file.write(build_message("second"))
    assert pipe.send()
    with os.fdopen(pipe.reading, "rb") as reading:
        assert b"first" in reading.readline()
        assert b"second" in reading.readline()
    with place.open("ab") as file:
        file.write(build_message("third"))
    assert pipe.send()
    assert not pipe.send()
