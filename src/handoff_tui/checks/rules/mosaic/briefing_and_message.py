"""The agent acknowledged its briefing and left a message for the next one."""

from __future__ import annotations

from datetime import timedelta

from handoff_tui.checks.context import Context
from handoff_tui.checks.facts.documents import parse_moment
from handoff_tui.checks.rule import Findings, Moment, RuleFinding, high_rule, medium_rule
from handoff_tui.checks.rules.mosaic.session_state import SessionState, StateFile, judge_agent_states, says_something

_BRIEFING = "briefing_acknowledgment"
_TIME = "acknowledged_at"


def _judge_briefing(context: Context, _: SessionState, file: StateFile) -> Findings:
    briefing = file.members.get(_BRIEFING)
    written = briefing.get(_TIME) if isinstance(briefing, dict) else None
    if written is None or written == "":
        message = f"{file.path} does not say when the briefing was acknowledged"
        yield RuleFinding(message, _TIME, file.place(_BRIEFING), f"{_BRIEFING}.{_TIME}", "nothing")
    else:
        yield from _judge_time(context, file, written)


def _judge_time(context: Context, file: StateFile, written: object) -> Findings:
    hours = context.settings.mosaic.briefing_max_age_hours
    moment = parse_moment(written)
    if moment is None:
        message = f"{file.path} has a time of acknowledgment that cannot be read"
        yield RuleFinding(message, _TIME, file.place(_TIME), "a time as in 2026-01-31T12:00:00Z", str(written)[:40])
        return
    age = context.now() - moment
    expected = f"at most {hours:g} hours ago"
    if age > timedelta(hours=hours):
        message = f"{file.path}: the briefing was acknowledged {_describe(age)} ago"
        yield RuleFinding(message, _TIME, file.place(_TIME), expected, str(written))
    elif -age > timedelta(minutes=context.settings.mosaic.clock_tolerance_minutes):
        message = f"{file.path}: the briefing is said to be acknowledged {_describe(-age)} from now"
        yield RuleFinding(message, _TIME, file.place(_TIME), expected, str(written))


def _describe(age: timedelta) -> str:
    hours = age / timedelta(hours=1)
    return f"{hours:.1f} hours" if hours < 48 else f"{age.days} days"  # noqa: PLR2004 - two days read better in hours


@medium_rule(
    holds="The briefing was acknowledged recently.",
    reads="the acknowledgment of the briefing in the agent state, and the clock",
    remedy="Read the briefing again and write the time into briefing_acknowledgment.acknowledged_at.",
    moments=(Moment.PRE,),
)
def briefing_fresh(context: Context) -> Findings:
    return judge_agent_states(context, _judge_briefing)


_FIELD = "handoff_message"


def _judge_message(context: Context, _: SessionState, file: StateFile) -> Findings:
    least = context.settings.mosaic.handoff_message_minimum
    expected = f"at least {least} characters that say something"
    wrong = _describe_message(file.members.get(_FIELD), least)
    if wrong is not None:
        message, actual = wrong
        yield RuleFinding(f"{file.path} {message}", _FIELD, file.place(_FIELD), expected, actual)


def _describe_message(message: object, least: int) -> tuple[str, str] | None:
    """Returns what is wrong with a message and its actual value; None if it is fine."""
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


@high_rule(
    holds="The handoff message is long enough to say what was done and what comes next.",
    reads="handoff_message in the agent state",
    remedy="Write into handoff_message what was done, what is left and what to do first.",
    moments=(Moment.POST,),
)
def handoff_message_says_something(context: Context) -> Findings:
    return judge_agent_states(context, _judge_message)
