"""Agents under hosts: what they would do, asked through the hook as a host asks it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from handoff_tui.agents.hosts.answer import answer_question
from handoff_tui.agents.hosts.wire import Host, parse_question, render_reply

_STOPS = {Host.GEMINI: "AfterAgent"}
_TOOLS = {Host.GEMINI: "BeforeTool"}
_SHELLS = {Host.GEMINI: "run_shell_command", Host.VSCODE: "run_in_terminal", Host.GOOSE: "developer__shell"}
_WRITERS = {
    Host.CLAUDE: ("Write", "file_path"),
    Host.CODEX: ("apply_patch", ""),
    Host.GEMINI: ("write_file", "file_path"),
    Host.VSCODE: ("create_file", "filePath"),
    Host.GOOSE: ("developer__text_editor", "path"),
    Host.OPENCODE: ("write", "filePath"),
}


@dataclass(frozen=True)
class HostedAgent:
    """An agent that a host runs in a folder."""

    host: Host
    folder: Path
    session: str = "session-1"

    def ask(self, name: str, **fields: object) -> Any:  # noqa: ANN401 - JSON is whatever it is
        """What the hook prints, as the host reads it."""
        question = {"hook_event_name": name, "cwd": str(self.folder), "session_id": self.session, **fields}
        asked = parse_question(json.dumps(question))
        return json.loads(render_reply(self.host, asked, answer_question(self.host, asked)).stdout)

    def use(self, tool: str, arguments: dict[str, object], *, defers: bool = False) -> Any:  # noqa: ANN401
        name = _TOOLS.get(self.host, "PreToolUse")
        question = {"hook_event_name": name, "cwd": str(self.folder), "tool_name": tool, "tool_input": arguments}
        asked = parse_question(json.dumps(question))
        return json.loads(render_reply(self.host, asked, answer_question(self.host, asked, defers=defers)).stdout)

    def run(self, command: str) -> str:
        """Why a command may not run; empty if it may."""
        return find_reason(self.use(_SHELLS.get(self.host, "Bash"), {"command": command}))

    def write(self, path: str | Path) -> str:
        """Why a file may not be written; empty if it may."""
        tool, key = _WRITERS[self.host]
        if not key:
            patch = f"*** Begin Patch\n*** Update File: {path}\n@@\n-a\n+b\n*** End Patch\n"
            return find_reason(self.use(tool, {"command": patch}))
        return find_reason(self.use(tool, {key: str(path), "content": "x", "command": "write"}))

    def stop(self, **fields: object) -> str:
        """Why the agent may not stop; empty if it may."""
        return find_reason(self.ask(_STOPS.get(self.host, "Stop"), **fields))


def find_reason(reply: Any) -> str:  # noqa: ANN401 - JSON is whatever it is
    """The reason of a no, wherever the host wants it."""
    inner = reply.get("hookSpecificOutput", {})
    if inner.get("permissionDecision", "deny") == "allow" or reply.get("decision") == "allow":
        return ""
    return str(reply.get("reason") or inner.get("permissionDecisionReason") or inner.get("reason") or "")
