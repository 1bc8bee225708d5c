"""What agent hosts ask a hook, and the form in which each wants the answer. Pure: JSON text in, JSON text out."""

from __future__ import annotations

import json
from collections.abc import Mapping
from enum import StrEnum

from handoff_tui.agents.hosts.tools.tool_call import ToolCall
from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.errors import UsageError


class Host(StrEnum):
    """A program that runs agents."""

    CLAUDE = "claude"
    CODEX = "codex"
    GEMINI = "gemini"
    VSCODE = "vscode"
    GOOSE = "goose"
    OPENCODE = "opencode"


class HookEvent(StrEnum):
    """What a host asks about."""

    STOP = "stop"
    """The agent wants to end its turn."""
    TOOL = "tool"
    """The agent wants to use a tool."""
    START = "start"
    """A session begins or goes on."""
    SETTINGS = "settings"
    """The host's settings have changed while it runs."""
    OTHER = "other"


_EVENTS = {
    "Stop": HookEvent.STOP,
    "SubagentStop": HookEvent.STOP,
    "AfterAgent": HookEvent.STOP,
    "PreToolUse": HookEvent.TOOL,
    "PermissionRequest": HookEvent.TOOL,
    "BeforeTool": HookEvent.TOOL,
    "SessionStart": HookEvent.START,
    "ConfigChange": HookEvent.SETTINGS,
}
_CANNOT_BLOCK = frozenset({Host.GOOSE})
_ONE_FORM = {Host.OPENCODE: "block", Host.GEMINI: "deny"}
"""Hosts that are told no in one form, whatever they asked."""
_NOWHERE = "/"


class HookCall(NamedTuple):
    """One call of a hook."""

    event: HookEvent
    name: str
    """The host's own name of the event."""
    folder: str
    session: str = ""
    tool: ToolCall | None = None
    continued: bool = False
    """Whether the agent works on because a hook kept it from stopping, or something still runs in the background."""
    source: str = ""
    """Which settings have changed."""
    file: str = ""


class AnswerKind(StrEnum):
    """What a hook has to say."""

    NOTHING = "nothing"
    DENY = "deny"
    DEFER = "defer"
    """The tool call waits until the session is resumed."""
    KEEP = "keep"
    """The agent must go on, or the settings stay as they were."""
    TELL = "tell"


class HookAnswer(NamedTuple):
    """The answer of a hook, in no host's words yet."""

    kind: AnswerKind
    text: str = ""


SILENCE = HookAnswer(AnswerKind.NOTHING)


class HookOutput(NamedTuple):
    """What is printed; the exit code is 0, because the answer says it all."""

    stdout: str
    stderr: str = ""


def parse_question(text: str) -> HookCall:
    """Reads the JSON that a host gives its hook; raises UsageError for anything else."""
    try:
        given = json.loads(text)
    except (ValueError, RecursionError) as unread:
        raise UsageError(f"the hook was given no JSON: {unread}", "Only agent hosts call this; see --help.") from unread
    if not isinstance(given, dict):
        raise UsageError("the hook was given no JSON object", "Only agent hosts call this; see --help.")
    name = _find_text(given, "hook_event_name", "event", "hookEventName", "hook_event")
    event = _EVENTS.get(name, HookEvent.OTHER)
    folder = _find_text(given, "cwd", "working_dir", "workspace") or _NOWHERE
    background = given.get("background_tasks")
    return HookCall(
        event=event,
        name=name,
        folder=folder,
        session=_find_text(given, "session_id", "sessionId"),
        tool=_read_tool(given, folder) if event is HookEvent.TOOL else None,
        continued=given.get("stop_hook_active") is True or bool(background),
        source=_find_text(given, "source"),
        file=_find_text(given, "file_path"),
    )


def render_reply(host: Host, question: HookCall, answer: HookAnswer) -> HookOutput:
    """Says it in the words of a host. Silence is an empty object, which is valid everywhere."""
    if answer.kind is AnswerKind.NOTHING:
        return HookOutput("{}\n")
    if host in _CANNOT_BLOCK:
        return HookOutput("{}\n", f"handoff-tui: {answer.text}\n")
    return HookOutput(json.dumps(_build_reply(host, question, answer)) + "\n")


def _build_reply(host: Host, question: HookCall, answer: HookAnswer) -> dict[str, object]:
    if answer.kind is AnswerKind.TELL:
        return _build_specific(question, additionalContext=answer.text)
    if host in _ONE_FORM:
        return {"decision": _ONE_FORM[host], "reason": answer.text}
    if answer.kind is AnswerKind.KEEP:
        block: dict[str, object] = {"decision": "block", "reason": answer.text}
        return _build_specific(question, **block) if host is Host.VSCODE else block
    if question.name == "PermissionRequest":
        return _build_specific(question, decision={"behavior": "deny", "message": answer.text})
    decision = "defer" if answer.kind is AnswerKind.DEFER and host is Host.CLAUDE else "deny"
    return _build_specific(question, permissionDecision=decision, permissionDecisionReason=answer.text)


def _build_specific(question: HookCall, **fields: object) -> dict[str, object]:
    return {"hookSpecificOutput": {"hookEventName": question.name, **fields}}


def _read_tool(given: Mapping[str, object], folder: str) -> ToolCall:
    name = _find_text(given, "tool_name", "toolName", "tool")
    arguments = given.get("tool_input", given.get("toolArgs", given.get("args")))
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments)
        except (ValueError, RecursionError):
            arguments = {"command": arguments}
    return ToolCall(name, arguments if isinstance(arguments, dict) else {}, folder)


def _find_text(given: Mapping[str, object], *names: str) -> str:
    return next((value for name in names if isinstance(value := given.get(name), str)), "")
