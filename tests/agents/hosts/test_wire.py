from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from handoff_tui.agents.hosts.answer import answer_question
from handoff_tui.agents.hosts.tools.tool_call import ToolCall, read_intent
from handoff_tui.agents.hosts.wire import (
    AnswerKind,
    HookAnswer,
    HookCall,
    HookEvent,
    Host,
    parse_question,
    render_reply,
)
from handoff_tui.core.errors import UsageError
from tests.support.gates import GateDesk
from tests.support.hook_calls import HostedAgent, find_reason

_TEXT = {"type": ["string", "null"]}
_COMMON: dict[str, Any] = {
    "continue": {"type": "boolean"}, "stopReason": _TEXT, "suppressOutput": {"type": "boolean"}, "systemMessage": _TEXT,
}  # fmt: skip


def build_codex_schema(name: str) -> dict[str, Any]:
    """What Codex accepts as the output of a hook; anything else counts as a failed hook, and the turn goes on."""
    specific: dict[str, Any] = {"hookEventName": {"const": name}, "additionalContext": _TEXT}
    if name == "PreToolUse":
        specific |= {"permissionDecision": {"enum": ["allow", "deny", "ask"]}, "permissionDecisionReason": _TEXT}
        specific |= {"updatedInput": {}}
    properties = {**_COMMON}
    if name == "Stop":
        properties |= {"decision": {"enum": ["block", None]}, "reason": {"type": "string", "pattern": r"\S"}}
    else:
        properties["hookSpecificOutput"] = {
            "type": "object", "properties": specific, "required": ["hookEventName"], "additionalProperties": False,
        }  # fmt: skip
    return {"type": "object", "properties": properties, "additionalProperties": False}


@pytest.mark.parametrize("name", ["PreToolUse", "Stop", "SessionStart"])
@pytest.mark.parametrize("kind", list(AnswerKind))
def test_codex_accepts_every_answer(name: str, kind: AnswerKind) -> None:
    """Also those that only another host would be given: none has a field too many."""
    possible = {
        "PreToolUse": {AnswerKind.NOTHING, AnswerKind.DENY, AnswerKind.DEFER},
        "Stop": {AnswerKind.NOTHING, AnswerKind.KEEP},
        "SessionStart": {AnswerKind.NOTHING, AnswerKind.TELL},
    }
    if kind not in possible[name]:
        return
    question = parse_question(json.dumps({"hook_event_name": name, "cwd": "/x", "tool_name": "Bash", "tool_input": {}}))
    reply = render_reply(Host.CODEX, question, HookAnswer(kind, "because"))
    jsonschema.validate(json.loads(reply.stdout), build_codex_schema(name))


def test_codex_accepts_real_answers(gate_desk: GateDesk) -> None:
    """Those of a repository with returned work that blocks."""
    bo = gate_desk.person("bo")
    gate_desk.begin(bo)
    agent = HostedAgent(Host.CODEX, gate_desk.root)
    tool = agent.use("Bash", {"command": "git push"})
    gate_desk.decide(bo, "reject", "--reason", "no tests")
    start = agent.ask("SessionStart", source="startup")
    stop = agent.ask("Stop", stop_hook_active=False, turn_id="t", model="m", transcript_path=None)
    assert find_reason(tool)
    assert "no tests" in start["hookSpecificOutput"]["additionalContext"]
    for name, reply in (("PreToolUse", tool), ("SessionStart", start), ("Stop", stop)):
        jsonschema.validate(reply, build_codex_schema(name))


@pytest.mark.parametrize(
    ("host", "name", "kind", "expected"),
    [
        (Host.CLAUDE, "Stop", AnswerKind.KEEP, {"decision": "block", "reason": "r"}),
        (Host.CLAUDE, "ConfigChange", AnswerKind.KEEP, {"decision": "block", "reason": "r"}),
        (Host.GEMINI, "AfterAgent", AnswerKind.KEEP, {"decision": "deny", "reason": "r"}),
        (Host.GEMINI, "BeforeTool", AnswerKind.DENY, {"decision": "deny", "reason": "r"}),
        (Host.OPENCODE, "PreToolUse", AnswerKind.DENY, {"decision": "block", "reason": "r"}),
        (
            Host.VSCODE,
            "Stop",
            AnswerKind.KEEP,
            {"hookSpecificOutput": {"hookEventName": "Stop", "decision": "block", "reason": "r"}},
        ),
        (
            Host.CLAUDE,
            "PreToolUse",
            AnswerKind.DEFER,
            {
                "hookSpecificOutput": {
                    "hookEventName": "PreToolUse",
                    "permissionDecision": "defer",
                    "permissionDecisionReason": "r",
                }
            },
        ),
        (
            Host.CODEX,
            "PreToolUse",
            AnswerKind.DEFER,
            {
                "hookSpecificOutput": {
                    "hookEventName": "PreToolUse",
                    "permissionDecision": "deny",
                    "permissionDecisionReason": "r",
                }
            },
        ),
        (
            Host.CLAUDE,
            "PermissionRequest",
            AnswerKind.DENY,
            {
                "hookSpecificOutput": {
                    "hookEventName": "PermissionRequest",
                    "decision": {"behavior": "deny", "message": "r"},
                }
            },
        ),
        (Host.GOOSE, "PreToolUse", AnswerKind.DENY, {}),
    ],
)
def test_each_host_is_told_in_its_own_form(host: Host, name: str, kind: AnswerKind, expected: object) -> None:
    """One JSON object, and for a host that lets nothing block, a message besides."""
    question = parse_question(json.dumps({"hook_event_name": name, "cwd": "/x"}))
    reply = render_reply(host, question, HookAnswer(kind, "r"))
    assert json.loads(reply.stdout) == expected
    assert (reply.stderr != "") == (host is Host.GOOSE)


@pytest.mark.parametrize("text", ["", "{", "[]", "null", '"x"', "[" * 100_000])
def test_no_question_is_refused(text: str) -> None:
    """Whoever calls it by hand is told."""
    with pytest.raises(UsageError):
        parse_question(text)


def test_unknown_events_are_passed_over() -> None:
    """Hosts invent new ones."""
    question = parse_question('{"hook_event_name": "Weather", "cwd": "/x"}')
    assert question.event is HookEvent.OTHER
    assert render_reply(Host.CLAUDE, question, answer_question(Host.CLAUDE, question)).stdout == "{}\n"


def test_trouble_denies_tools_and_nothing_else(gate_desk: GateDesk) -> None:
    """A repository that can't be read lets no push through; the agent may stop all the same."""
    gate_desk.begin(gate_desk.person("bo"))
    (gate_desk.root / ".git/config").write_text("[broken\n", encoding="utf-8")
    agent = HostedAgent(Host.CLAUDE, gate_desk.root)
    assert "can't tell" in agent.run("git push")
    assert agent.stop() == ""
    assert agent.run("ls") == ""


@pytest.mark.parametrize(
    ("name", "arguments", "commands", "writes"),
    [
        ("Bash", {"command": "ls"}, ("ls",), ()),
        ("shell", {"command": ["bash", "-lc", "git push"]}, ("bash -lc 'git push'",), ()),
        ("exec_command", {"cmd": "ls", "workdir": "sub"}, ("ls",), ()),
        ("run_shell_command", {"command": "ls"}, ("ls",), ()),
        ("Edit", {"file_path": "/w/a"}, (), ("/w/a",)),
        ("write_file", {"file_path": "a"}, (), ("/w/a",)),
        ("NotebookEdit", {"notebook_path": "a.ipynb"}, (), ("/w/a.ipynb",)),
        ("editFiles", {"files": ["a", "b"]}, (), ("/w/a", "/w/b")),
        ("multi_replace", {"replacements": [{"filePath": "a"}, {"filePath": "b"}]}, (), ("/w/a", "/w/b")),
        ("developer__text_editor", {"command": "write", "path": "a"}, (), ("/w/a",)),
        ("developer__text_editor", {"command": "view", "path": "a"}, (), ()),
        ("apply_patch", {"command": "*** Begin Patch\n*** Add File: a\n+x\n*** End Patch"}, (), ("/w/a",)),
        ("apply_patch", {"input": "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b"}, (), ("/w/x", "/w/x")),
        ("Read", {"file_path": "a"}, (), ()),
        ("Grep", {"pattern": "git push", "path": "a"}, (), ()),
        ("mcp__fs__write_file", {"path": "../a"}, (), ("/a",)),
        ("Write", {"file_path": "a", "command": "ls"}, ("ls",), ("/w/a",)),
        ("WebFetch", {"url": "x"}, (), ()),
    ],
)
def test_tools_are_read_by_what_they_do(
    name: str, arguments: dict[str, object], commands: tuple[str, ...], writes: tuple[str, ...]
) -> None:
    """Whatever a host calls them."""
    intent = read_intent(ToolCall(name, arguments, "/w"))
    assert (intent.commands, intent.writes) == (commands, writes)


def test_arguments_may_be_a_text() -> None:
    """Some hosts put JSON into JSON."""
    text = json.dumps({"hook_event_name": "PreToolUse", "toolName": "bash", "toolArgs": '{"command": "ls"}'})
    tool = parse_question(text).tool
    assert tool is not None
    assert (tool.name, tool.arguments) == ("bash", {"command": "ls"})


def test_agent_that_was_kept_from_stopping_once_may_stop(tmp_path: Path) -> None:
    """And so may one with something still running in the background."""
    for more in ({"stop_hook_active": True}, {"background_tasks": [{"id": 1}]}):
        question = parse_question(json.dumps({"hook_event_name": "Stop", "cwd": str(tmp_path), **more}))
        assert question.continued
    assert not HookCall(HookEvent.STOP, "Stop", "/").continued
