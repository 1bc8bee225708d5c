from __future__ import annotations

import pytest

from handoff_tui.checks.contract import NotApplicableError, RuleFinding
from handoff_tui.checks.rules.mosaic.briefing_and_message import HANDOFF_MESSAGE_SAYS_SOMETHING
from tests.support.session_states import build_agent_state, build_state
from tests.support.world import MemoryWorld, judge


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
def test_state_that_cannot_be_read_is_found(text: str | None) -> None:
    """A message that cannot be read is no message."""
    files = build_state()
    del files[".mosaic/agent_state.json"]
    if text is not None:
        files[".mosaic/agent_state.json"] = text
    assert len(judge(HANDOFF_MESSAGE_SAYS_SOMETHING, MemoryWorld(files=files))) == 1


def test_repository_without_a_state_does_not_apply() -> None:
    """Other handoffs have no such message."""
    with pytest.raises(NotApplicableError, match="no session state under review"):
        judge(HANDOFF_MESSAGE_SAYS_SOMETHING, MemoryWorld(files={".ai-agents/handoff_1.json": '{"commit": "x"}'}))
