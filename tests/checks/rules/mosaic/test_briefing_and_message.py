from __future__ import annotations

from datetime import UTC, datetime

import pytest

from handoff_tui.checks.rule import NotApplicableError, Rule, RuleFinding
from handoff_tui.checks.rules.mosaic.briefing_and_message import BRIEFING_FRESH, HANDOFF_MESSAGE_SAYS_SOMETHING
from tests.support.session_states import build_agent_state, build_state
from tests.support.world import MemoryWorld, judge

NOW = datetime(2026, 3, 4, 12, 0, 0, tzinfo=UTC)


def judge_time(written: object, **overrides: object) -> list[RuleFinding]:
    files = build_state(build_agent_state(briefing_acknowledgment={"agent": "merlin", "acknowledged_at": written}))
    settings = {key.replace("__", "."): value for key, value in overrides.items()}
    return judge(BRIEFING_FRESH, MemoryWorld(files=files, moment=NOW, overrides=settings))


@pytest.mark.parametrize(
    "written",
    [
        "2026-03-04T11:00:00Z",
        "2026-03-03T12:00:00+00:00",
        "2026-03-04T13:30:00+02:00",
        "2026-03-04T11:00:00",
        "2026-03-04 11:00",
        " 2026-03-04T11:00:00.123456Z ",
        "2026-03-04",
        "2026-03-04T12:05:00Z",
    ],
)
def test_recent_acknowledgment_passes(written: str) -> None:
    """In any zone, with or without one, up to the bound, and a little ahead of our clock."""
    assert judge_time(written) == []


@pytest.mark.parametrize(
    ("written", "words"),
    [
        ("2026-03-03T11:59:00Z", "was acknowledged 24.0 hours ago"),
        ("2026-03-03T02:00:00+02:00", "was acknowledged 36.0 hours ago"),
        ("2026-01-04T12:00:00Z", "was acknowledged 59 days ago"),
        ("0001-01-01T00:00:00+14:00", "days ago"),
    ],
)
def test_old_acknowledgment_is_found(written: str, words: str) -> None:
    """Older than the bound is stale; the finding says how old."""
    [found] = judge_time(written)
    assert words in found.message
    assert (found.subject, found.expected, found.actual) == ("acknowledged_at", "at most 24 hours ago", written)
    assert found.place is not None
    assert found.place.line == 13


def test_age_comes_from_the_configuration() -> None:
    """A project may ask for more or less."""
    assert judge_time("2026-03-01T12:00:00Z", mosaic__briefing_max_age_hours=72) == []
    [found] = judge_time("2026-03-04T11:00:00Z", mosaic__briefing_max_age_hours=0.5)
    assert found.expected == "at most 0.5 hours ago"


@pytest.mark.parametrize("written", ["2026-03-04T12:11:00Z", "2026-03-09T12:00:00Z", "9999-12-31T23:59:59Z"])
def test_acknowledgment_in_the_future_is_found(written: str) -> None:
    """A time that has not come yet would stay fresh for ever."""
    [found] = judge_time(written)
    assert "from now" in found.message


def test_tolerance_of_clocks_comes_from_the_configuration() -> None:
    """Clocks of two machines may differ by so much."""
    assert judge_time("2026-03-04T12:30:00Z", mosaic__clock_tolerance_minutes=30) == []


@pytest.mark.parametrize("written", ["yesterday", "2026-13-01", "04.03.2026", 1772625600, ["2026-03-04"], True])
def test_time_that_cannot_be_read_is_found(written: object) -> None:
    """A date that is none is a finding, never a pass."""
    [found] = judge_time(written)
    assert "cannot be read" in found.message
    assert found.actual == str(written)


@pytest.mark.parametrize("briefing", [..., None, {}, {"acknowledged_at": None}, {"acknowledged_at": ""}, "yes"])
def test_briefing_that_nobody_acknowledged_is_found(briefing: object) -> None:
    """Without a time there is no acknowledgment."""
    world = MemoryWorld(files=build_state(build_agent_state(briefing_acknowledgment=briefing)), moment=NOW)
    [found] = judge(BRIEFING_FRESH, world)
    assert found.message == ".mosaic/agent_state.json does not say when the briefing was acknowledged"


def test_briefing_state_that_cannot_be_read_is_found() -> None:
    """A broken state acknowledges nothing."""
    [found] = judge(BRIEFING_FRESH, MemoryWorld(files={**build_state(), ".mosaic/agent_state.json": ""}))
    assert "is empty" in found.message


def judge_message(message: object, **overrides: object) -> list[RuleFinding]:
    files = build_state(build_agent_state(handoff_message=message))
    settings = {key.replace("__", "."): value for key, value in overrides.items()}
    return judge(HANDOFF_MESSAGE_SAYS_SOMETHING, MemoryWorld(files=files, overrides=settings))


def test_message_that_says_something_passes() -> None:
    """Long enough, and more than one word."""
    assert judge(HANDOFF_MESSAGE_SAYS_SOMETHING, MemoryWorld(files=build_state())) == []


@pytest.mark.parametrize(
    ("message", "words", "actual"),
    [
        (..., "has no handoff_message", "nothing"),
        (None, "has no handoff_message", "nothing"),
        (["a" * 60], "has a handoff_message that is not text", "list"),
        ("", "has an empty handoff_message", "empty"),
        (" \n\t" * 40, "has an empty handoff_message", "only white space"),
        ("All done.", "too short", "9 characters"),
        ("All" + " " * 60 + "done.", "too short", "9 characters"),
        ("done " * 20, "of one word, over and over", "done done done done done done done done "),
        ("Done, done. DONE! " * 10, "of one word, over and over", None),
        ("a" * 80, "of one word, over and over", "a" * 40),
        ("- . - ! " * 20, "of one word, over and over", None),
    ],
)
def test_message_that_says_nothing_is_found(message: object, words: str, actual: str | None) -> None:
    """Absent, empty, blank, padded, short, or one word repeated: none of it hands anything over."""
    [found] = judge_message(message)
    assert words in found.message
    assert found.subject == "handoff_message"
    assert actual is None or found.actual == actual


def test_length_comes_from_the_configuration() -> None:
    """The bound itself is enough, one less is not."""
    message = "Sailings are in."
    assert judge_message(message, mosaic__handoff_message_minimum=16) == []
    [found] = judge_message(message, mosaic__handoff_message_minimum=17)
    assert (found.expected, found.actual) == ("at least 17 characters that say something", "16 characters")


def test_finding_is_placed_at_the_message() -> None:
    """The line is that of the field."""
    [found] = judge_message("short")
    assert found.place is not None
    assert (found.place.path, found.place.line) == (".mosaic/agent_state.json", 10)


@pytest.mark.parametrize("text", ["{", "[]", None])
def test_message_state_that_cannot_be_read_is_found(text: str | None) -> None:
    """A message that cannot be read is no message."""
    files = build_state()
    del files[".mosaic/agent_state.json"]
    if text is not None:
        files[".mosaic/agent_state.json"] = text
    assert len(judge(HANDOFF_MESSAGE_SAYS_SOMETHING, MemoryWorld(files=files))) == 1


@pytest.mark.parametrize(
    ("rule", "world", "reason"),
    [
        (BRIEFING_FRESH, MemoryWorld(files={"a.txt": ""}), "no session state under review"),
        (
            HANDOFF_MESSAGE_SAYS_SOMETHING,
            MemoryWorld(files={".ai-agents/handoff_1.json": '{"commit": "x"}'}),
            "no session state under review",
        ),
    ],
)
def test_rule_is_skipped_where_it_has_nothing_to_judge(rule: Rule, world: MemoryWorld, reason: str) -> None:
    """It neither passes nor fails."""
    with pytest.raises(NotApplicableError, match=reason):
        judge(rule, world)
