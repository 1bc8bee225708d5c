"""What a session must not start without: briefing, documents, message, no critical blocker, a gate that is enforced."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from datetime import timedelta

from handoff_tui.checks.context import Context
from handoff_tui.checks.facts.documents import parse_moment
from handoff_tui.checks.facts.script_calls import Call, find_calls, is_prose
from handoff_tui.checks.rule import Findings, RuleFinding, critical_rule, high_rule, medium_rule
from handoff_tui.checks.rules.mosaic.session_state import (
    SessionState,
    StateFile,
    judge_agent_states,
    require_states,
    says_something,
)
from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.core.place import CheckMoment, Place, Severity
from handoff_tui.core.text.globs import matches_glob
from handoff_tui.handoffs.life import is_archived

_OWN_COMMAND = "handoff-tui check"
_GIT_HOOKS = ".git/hooks/"


class _Caller(NamedTuple):
    path: str
    text: str


@medium_rule(
    blocking=False,
    holds="The session gate exists, is executable, and is called from a hook, a CI file or an agent prompt.",
    reads="the enforcement scripts, hooks, CI files and agent prompts",
    remedy="Call the script from a git hook, CI or the agent's prompt. A script that nobody calls enforces nothing.",
    moments=(CheckMoment.PRE, CheckMoment.POST),
)
def session_gate_wired(context: Context) -> Findings:
    for state in require_states(context):
        mosaic = context.settings.mosaic
        above = state.folder.removesuffix(mosaic.folder)
        scripts = [above + mosaic.session_gate_script, above + mosaic.validation_script]
        callers = _find_callers(context, above)
        present = [script for script in scripts if context.exists(script)]
        enforced_here = any(_find_minded(caller) for caller in callers)
        if not present and not enforced_here:
            yield _build_absent(scripts)
        for script in scripts:
            calls = _find_all_calls(context, script, present, callers)
            if script in present:
                yield from _judge_script(context, script, calls, enforced_here=enforced_here)
            elif calls:
                yield _build_dangling(script, calls[0])


def _find_callers(context: Context, above: str) -> list[_Caller]:
    """Returns the files that may call a script, without git hooks that aren't executable."""
    callers: dict[str, _Caller] = {}
    patterns = (*context.settings.mosaic.wiring_places, *context.settings.mosaic.wiring_files)
    for pattern in patterns:
        for place in dict.fromkeys((pattern, above + pattern)):
            for path in _expand(context, place):
                text = context.read_text(path)
                if text is not None and not (path.startswith(_GIT_HOOKS) and not context.is_executable(path)):
                    callers.setdefault(path, _Caller(path, text))
    return list(callers.values())


def _expand(context: Context, place: str) -> list[str]:
    return [path for path in context.paths() if matches_glob(path, place)] if "*" in place else [place]


def _find_all_calls(
    context: Context, script: str, present: list[str], callers: list[_Caller]
) -> list[tuple[str, Call]]:
    """Returns the calls by the callers, and by another enforcement script that they call."""
    calls = _find_direct(script, callers)
    for other in present:
        if other != script and _find_direct(other, callers):
            calls.extend(_find_direct(script, [_Caller(other, context.read_text(other) or "")]))
    return calls


def _find_direct(script: str, callers: list[_Caller]) -> list[tuple[str, Call]]:
    return [(caller.path, call) for caller in callers for call in _find_minded(caller, script)]


def _find_minded(caller: _Caller, script: str | None = None) -> list[Call]:
    """Returns the calls of a script, or of handoff-tui, whose exit code counts; a mention in prose isn't one."""
    scripts = () if script is None else (script,)
    calls = find_calls(caller.text, scripts, ours=script is None, prose=is_prose(caller.path))
    return [call for call in calls if not call.shrug and not call.mention]


def _judge_script(context: Context, script: str, calls: list[tuple[str, Call]], *, enforced_here: bool) -> Findings:
    if not calls and not enforced_here:
        message = f"{script} is there, but no hook, CI file or agent prompt calls it"
        yield RuleFinding(message, script, Place(path=script), "a call", "no call", "handoff-tui hooks install")
    needs_permission = not calls or any(not call.by_interpreter for _, call in calls)
    if needs_permission and not context.is_executable(script):
        message = f"{script} is there, but may not be executed"
        command = f"chmod +x {shlex.quote(script)}"
        yield RuleFinding(message, f"{script} executable", Place(path=script), "executable", "not executable", command)


def _build_absent(scripts: list[str]) -> RuleFinding:
    message = f"neither {scripts[0]} nor {scripts[1]} is there, and nothing calls {_OWN_COMMAND}: nothing is enforced"
    return RuleFinding(
        message, "enforcement", Place(path=scripts[0]), "a session gate", "none", "handoff-tui hooks install"
    )


def _build_dangling(script: str, call: tuple[str, Call]) -> RuleFinding:
    path, where = call
    place = Place(path=path, line=where.line)
    return RuleFinding(
        f"{path} calls {script}, which does not exist", script, place, f"{script} exists", "no such file"
    )


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
        message = f"{file.path}: the briefing is said to have been acknowledged {_describe(-age)} from now"
        yield RuleFinding(message, _TIME, file.place(_TIME), expected, str(written))


def _describe(age: timedelta) -> str:
    hours = age / timedelta(hours=1)
    return f"{hours:.1f} hours" if hours < 48 else f"{age.days} days"  # noqa: PLR2004 - two days read better in hours


@medium_rule(
    holds="The briefing was acknowledged recently.",
    reads="the acknowledgment of the briefing in the agent state, and the clock",
    remedy="Read the briefing again and write the time into briefing_acknowledgment.acknowledged_at.",
    moments=(CheckMoment.PRE,),
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
    moments=(CheckMoment.POST,),
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
)
def briefing_acknowledged(context: Context) -> Findings:
    return judge_agent_states(context, _judge_acknowledgment)


@critical_rule(
    holds="Every document that a session must read is there.",
    reads="documents that the session gate or a prompt says must be read, and briefings deleted since",
    remedy="Restore the document. If it has a new name, correct the script or prompt that names it.",
    commands=("git log --diff-filter=D --name-only -- '*BRIEFING*'",),
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
