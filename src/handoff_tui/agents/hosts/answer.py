"""Answers one call of a hook: may this tool run, may the agent stop, what must it know at the start."""

from __future__ import annotations

from handoff_tui.agents.hosts.repository_state import find_root, is_governed, read_returned, read_stop_lines
from handoff_tui.agents.hosts.wire import SILENCE, AnswerKind, HookAnswer, HookCall, HookEvent, Host
from handoff_tui.core.errors import HandoffError

_GATE_REMOVED = (
    "This takes handoff-tui's hooks out of the settings, and with them the gate that a person set up."
    " `handoff-tui hook uninstall` is the person's own way to do that, with no session running."
)


def answer_question(host: Host, question: HookCall, *, defers: bool = False) -> HookAnswer:
    """Answers; what goes wrong on the way closes the way to tools, and to nothing else."""
    try:
        return _answer(host, question, defers=defers)
    except HandoffError as failed:
        if question.event is not HookEvent.TOOL:
            return SILENCE
        why = f"handoff-tui can't tell whether this may run: {failed.message}"
        return HookAnswer(AnswerKind.DENY, f"{why}. {failed.hint}".rstrip())


def _answer(host: Host, question: HookCall, *, defers: bool) -> HookAnswer:
    if question.tool is not None:
        from handoff_tui.agents.hosts.guard import Ruling, judge_tool_call  # noqa: PLC0415 - other events are quicker

        judgement = judge_tool_call(question.tool)
        if judgement.ruling is Ruling.ALLOW:
            return SILENCE
        waits = defers and judgement.ruling is Ruling.WAIT
        return HookAnswer(AnswerKind.DEFER if waits else AnswerKind.DENY, judgement.reason)
    if question.event is HookEvent.SETTINGS:
        return _judge_settings(host, question)
    root = find_root(question.folder)
    if root is None or not is_governed(root):
        return SILENCE
    if question.event is HookEvent.STOP and not question.continued:
        lines = read_stop_lines(root)
        return HookAnswer(AnswerKind.KEEP, "\n".join(lines)) if lines else SILENCE
    text = read_returned(root, question.session) if question.event is HookEvent.START else ""
    return HookAnswer(AnswerKind.TELL, text) if text else SILENCE


def _judge_settings(host: Host, question: HookCall) -> HookAnswer:
    from handoff_tui.agents.hosts.install import is_gone  # noqa: PLC0415 - settings seldom change

    return HookAnswer(AnswerKind.KEEP, _GATE_REMOVED) if is_gone(host, question.folder) else SILENCE
