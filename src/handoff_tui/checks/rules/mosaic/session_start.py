"""What a session must not start without: acknowledged briefing, documents to read, message, no critical blocker."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import timedelta

from handoff_tui.checks.context import Context
from handoff_tui.checks.facts.documents import parse_moment
from handoff_tui.checks.rule import Findings, Moment, RuleFinding, critical_rule, high_rule, medium_rule
from handoff_tui.checks.rules.mosaic.session_state import (
    SessionState,
    StateFile,
    judge_agent_states,
    require_states,
    says_something,
)
from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.core.place import Place
from handoff_tui.core.severity import Severity
from handoff_tui.handoffs.life import is_archived

_BRIEFING = "briefing_acknowledgment"
_TIME = "acknowledged_at"


def _judge_briefing(context: Context, _: SessionState, file: StateFile) -> Findings:
    briefing = file.members.get(_BRIEFING)
    written = briefing.get(_TIME) if isinstance(briefing, dict) else None
    if written is None or written == "":
        message = f"{file.path} does not say when the briefing was acknowledged"
        yield RuleFinding(
            message,
            _TIME,
            file.place(_BRIEFING),
            f"{_BRIEFING}.{_TIME}",
            "nothing",
        )
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


_WORD = "briefing"
_WHO, _WHEN = "agent", "acknowledged_at"
_DOCUMENT = compile_later(r"(?<![\w./-])[\w.][\w./-]*\.md(?![\w/])")
_NAMED_BRIEFING = compile_later(r"(?<![\w./-])[\w.][\w./-]*briefing[\w-]*\.(?:md|txt|json)(?![\w/])", re.IGNORECASE)
_MUST = compile_later(
    r"\bmandatory\b|\brequired reading\b|\bmust (?:first )?(?:be )?read\b|\bread\b.*\b(?:first|before)\b", re.IGNORECASE
)
"""A line of a prompt that says what must be read."""
_MANDATORY = "mandatory"
_TEXTS = (".md", ".txt", ".json", ".yaml", ".yml")


def _judge_acknowledgment(_: Context, __: SessionState, file: StateFile) -> Findings:
    said = file.members.get(_BRIEFING)
    if not isinstance(said, dict) or not said:
        message = f"{file.path} has no acknowledgment of the briefing"
        yield RuleFinding(message, _BRIEFING, file.place(_BRIEFING), f"{_BRIEFING} with {_WHO} and {_WHEN}", "nothing")
        return
    for name in (_WHO, _WHEN):
        if not str(said.get(name) or "").strip():
            message = (
                f"{file.path}: the acknowledgment of the briefing does not say {'who' if name == _WHO else 'when'}"
            )
            yield RuleFinding(message, f"{_BRIEFING}.{name}", file.place(_BRIEFING), name, "nothing")


@critical_rule(
    holds="The agent acknowledged its briefing.",
    reads="the acknowledgment of the briefing in the agent state",
    remedy="Read the briefing and write who read it, and when, into briefing_acknowledgment.",
    moments=(Moment.PRE, Moment.POST),
)
def briefing_acknowledged(context: Context) -> Findings:
    return judge_agent_states(context, _judge_acknowledgment)


@critical_rule(
    holds="Every document that a session must read is there.",
    reads="documents that the session gate or a prompt says must be read, and briefings deleted since",
    remedy="Restore the document. If it has a new name, correct the script or prompt that names it.",
    commands=("git log --diff-filter=D --name-only -- '*BRIEFING*'",),
    moments=(Moment.PRE, Moment.POST),
)
def mandatory_documents_present(context: Context) -> Findings:
    found: dict[str, RuleFinding] = {}
    for state in require_states(context):
        for path, line, named in _list_demanded(context, state):
            there = _find_document(context, state, named)
            if there is None or not (context.read_text(there) or "").strip():
                lacks, actual = ("does not exist", "no such file") if there is None else ("is empty", "nothing in it")
                message = f"{path} asks for {named}, which {lacks}"
                found.setdefault(named, RuleFinding(message, named, Place(path=path, line=line), named, actual))
    named_already = {name.rpartition("/")[2] for name in found}
    here = _list_briefings(context)
    for path in context.deleted_paths(_WORD):
        replaced = any(_MANDATORY in one.casefold() or _MANDATORY not in path.casefold() for one in here)
        is_briefing = path.casefold().endswith(_TEXTS) and not is_archived(path)
        if is_briefing and not replaced and path.rpartition("/")[2] not in named_already:
            found[path] = RuleFinding(f"{path} was deleted", path, Place(path=path), "a briefing", "deleted")
    yield from found.values()


def _list_demanded(context: Context, state: SessionState) -> Iterator[tuple[str, int, str]]:
    """The documents that the gate's scripts name in code, and those that the agents' prompts say must be read."""
    mosaic = context.settings.mosaic
    above = state.folder.removesuffix(mosaic.folder)
    for script in (mosaic.session_gate_script, mosaic.validation_script):
        for number, line in _read_lines(context, above + script):
            if not line.lstrip().startswith("#"):
                yield from ((above + script, number, name) for name in _DOCUMENT.findall(line))
    for prompt in mosaic.wiring_places:
        if prompt.casefold().endswith(_TEXTS):
            for number, line in _read_lines(context, above + prompt):
                names = (_DOCUMENT if _MUST.search(line) else _NAMED_BRIEFING).findall(line)
                yield from ((above + prompt, number, name) for name in names)


def _read_lines(context: Context, path: str) -> Iterator[tuple[int, str]]:
    return enumerate((context.read_text(path) or "").split("\n"), start=1)


def _find_document(context: Context, state: SessionState, named: str) -> str | None:
    above = state.folder.rpartition("/")[0]
    wanted = named.removeprefix("./")
    places = (wanted, f"{above}/{wanted}".lstrip("/"), f"{state.folder}/{wanted}")
    there = next(filter(context.exists, places), None)
    return there or (None if "/" in wanted else context.find(wanted, state.folder))


def _list_briefings(context: Context) -> list[str]:
    """The briefings that are here and not filed away."""
    names = ((path, path.rpartition("/")[2].casefold()) for path in context.paths())
    listed = [path for path, name in names if _WORD in name and name.endswith(_TEXTS) and not is_archived(path)]
    return list(filter(context.exists, listed))


@critical_rule(
    holds="No critical blocker of the session is open.",
    reads="the blockers in the session state",
    remedy="Clear the blocker and write down how, or have a person decide to go on without that.",
)
def critical_blockers_closed(context: Context) -> Findings:
    for state in require_states(context):
        for blocker in state.handoff.blockers:
            if blocker.open and blocker.severity is Severity.CRITICAL:
                message = f"the critical blocker {blocker.id} is open: {blocker.title}"
                yield RuleFinding(message, blocker.id, blocker.where, "resolved", blocker.status or "no status")
