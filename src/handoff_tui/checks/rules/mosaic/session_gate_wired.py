"""The session gate is really enforced: its scripts exist, are executable, and something calls them."""

from __future__ import annotations

import shlex

from handoff_tui.checks.context import Context
from handoff_tui.checks.facts.script_calls import Call, find_calls, is_prose
from handoff_tui.checks.rule import Findings, Moment, RuleFinding, medium_rule
from handoff_tui.checks.rules.mosaic.session_state import require_states
from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.place import Place
from handoff_tui.core.text.globs import matches_glob

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
    moments=(Moment.PRE, Moment.POST),
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
