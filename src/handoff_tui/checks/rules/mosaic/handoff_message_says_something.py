"""The message to the next agent is there, is long enough, and is more than one word over and over."""

from __future__ import annotations

from collections.abc import Iterator

from handoff_tui.checks.context import Context
from handoff_tui.checks.contract import Found, Moment, Rule, System
from handoff_tui.checks.rules.mosaic.session_state import AGENT_STATE, read_state_file, require_states, says_something
from handoff_tui.core.severity import Severity

_FIELD = "handoff_message"


def judge(context: Context) -> Iterator[Found]:
    least = context.setting("mosaic.handoff_message_minimum", int)
    expected = f"at least {least} characters that say something"
    for state in require_states(context):
        file = read_state_file(context, state.path(AGENT_STATE))
        if file.broken:
            yield from file.broken
            continue
        wrong = _describe_message(file.members.get(_FIELD), least)
        if wrong is not None:
            message, actual = wrong
            yield Found(f"{file.path} {message}", _FIELD, file.place(_FIELD), expected, actual)


def _describe_message(message: object, least: int) -> tuple[str, str] | None:
    """What is wrong with a message, and what is there instead."""
    if message is None:
        return f"has no {_FIELD}", "nothing"
    if not isinstance(message, str):
        return f"has a {_FIELD} that is not text", type(message).__name__
    words = " ".join(message.split())
    if not words:
        return f"has an empty {_FIELD}", "only white space" if message else "empty"
    if len(words) < least:
        return f"has a {_FIELD} that is too short to hand anything over", f"{len(words)} characters"
    if not says_something(words):
        return f"has a {_FIELD} of one word, over and over", words[:40]
    return None


HANDOFF_MESSAGE_SAYS_SOMETHING = Rule(
    id="handoff-message-says-something",
    system=System.MOSAIC,
    severity=Severity.HIGH,
    holds="The handoff message is long enough to say what was done and what comes next.",
    reads="handoff_message of the agent state",
    remedy="Write into handoff_message what was done, what is left and what to do first.",
    judge=judge,
    moments=(Moment.POST,),
)
