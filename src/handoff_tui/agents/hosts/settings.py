"""Where each host keeps its hooks, and what is written there."""

from __future__ import annotations

import shlex
from collections.abc import Mapping

from handoff_tui.agents.hosts.wire import Host
from handoff_tui.core.classes import NamedTuple
from handoff_tui.system.installation import read_shipped_text

_TOOL_SECONDS = 30
_STOP_SECONDS = 600
"""Checks of the person's own may run."""
_WAIT_SECONDS = 7 * 24 * 3600
_CLAUDE_TOOLS = "Bash|PowerShell|Monitor|Edit|MultiEdit|Write|NotebookEdit|mcp__.*"
_GEMINI_TOOLS = "run_shell_command|write_file|replace|edit|mcp_.*"


class Level(NamedTuple):
    """The files of a host at one level, seen from the repository or from the home folder."""

    settings: str
    """The JSON file that holds the hooks; empty if the host has none."""
    whole: Mapping[str, str] = {}
    """Files that are ours altogether, with their text."""
    switches: tuple[str, ...] = ()
    """Other files of the host that can switch hooks off."""


class Program(NamedTuple):
    """How a host starts us: the program, and the words before the verb."""

    argv: tuple[str, ...]

    def build_argv(self, *words: str) -> list[str]:
        return [*self.argv, *words]

    def build_line(self, *words: str) -> str:
        return shlex.join(self.build_argv(*words))


def find_level(host: Host, *, user: bool) -> Level:
    """Returns where the hooks of a host lie."""
    claude = (".claude/settings.json", ".claude/settings.local.json")
    levels = {
        Host.CLAUDE: Level(".claude/settings.json", switches=claude),
        Host.CODEX: Level(".codex/hooks.json"),
        Host.GEMINI: Level(".gemini/settings.json", switches=(".gemini/settings.json",)),
        Host.VSCODE: Level(".copilot/hooks/handoff-tui.json" if user else ".github/hooks/handoff-tui.json"),
        Host.GOOSE: Level(
            ".agents/plugins/handoff-tui/hooks/hooks.json",
            {".agents/plugins/handoff-tui/plugin.json": read_shipped_text("agents/hosts/goose_plugin.json")},
        ),
        Host.OPENCODE: Level(
            "",
            {
                f"{'.config/opencode' if user else '.opencode'}/plugins/handoff-tui.js": read_shipped_text(
                    "agents/hosts/opencode_plugin.js"
                )
            },
        ),
    }
    return levels[host]


def build_hooks(host: Host, program: Program, *, defers: bool = False) -> dict[str, list[dict[str, object]]]:
    """Builds the hooks by event, in the form of the host."""
    words = ("hook", host.value, *(("--defer",) if defers else ()))
    line = program.build_line(*words)
    if host is Host.CLAUDE:
        return _build_claude(program, words)
    if host is Host.CODEX:
        return {
            "PreToolUse": [_group({"type": "command", "command": line, "timeout": _TOOL_SECONDS})],
            "Stop": [_group({"type": "command", "command": line, "timeout": _STOP_SECONDS})],
            "SessionStart": [_group({"type": "command", "command": line, "timeout": _TOOL_SECONDS})],
        }
    if host is Host.GEMINI:  # in milliseconds
        return {
            "BeforeTool": [_group(_name_command(line, _TOOL_SECONDS * 1000), _GEMINI_TOOLS)],
            "AfterAgent": [_group(_name_command(line, _STOP_SECONDS * 1000))],
            "SessionStart": [_group(_name_command(line, _TOOL_SECONDS * 1000))],
        }
    if host is Host.VSCODE:
        seconds = {"PreToolUse": _TOOL_SECONDS, "Stop": _STOP_SECONDS, "SessionStart": _TOOL_SECONDS}
        return {name: [{"type": "command", "command": line, "timeout": value}] for name, value in seconds.items()}
    if host is Host.GOOSE:
        command: dict[str, object] = {"type": "command", "command": line}
        return {name: [_group(command)] for name in ("PreToolUse", "Stop", "SessionStart")}
    return {}


def is_ours(value: object, host: Host) -> bool:
    """Whether a hook, or every hook of a group, calls us."""
    if not isinstance(value, dict):
        return False
    inner = value.get("hooks")
    if isinstance(inner, list):
        return bool(inner) and all(is_ours(one, host) for one in inner)
    command, arguments = value.get("command"), value.get("args")
    if not isinstance(command, str):
        return False
    words = [command, *map(str, arguments)] if isinstance(arguments, list) else _split(command)
    for at, word in enumerate(words):
        is_program = word.rpartition("/")[2] == "handoff-tui" or word == "handoff_tui"
        if is_program and (
            words[at + 1 : at + 3] == ["hook", host.value] or words[at + 1 : at + 3] == ["wait", "--hook"]
        ):
            return True
    return False


def _split(line: str) -> list[str]:
    try:
        return shlex.split(line)
    except ValueError:
        return []


def _build_claude(program: Program, words: tuple[str, ...]) -> dict[str, list[dict[str, object]]]:
    def call(*arguments: str, **more: object) -> dict[str, object]:
        argv = program.build_argv(*arguments)
        return {"type": "command", "command": argv[0], "args": argv[1:], **more}

    return {
        "PreToolUse": [_group(call(*words, onFailure="block", timeout=_TOOL_SECONDS), _CLAUDE_TOOLS)],
        "Stop": [
            _group(call(*words, timeout=_STOP_SECONDS)),
            _group(call("wait", "--hook", asyncRewake=True, timeout=_WAIT_SECONDS)),
        ],
        "SubagentStop": [_group(call(*words, timeout=_STOP_SECONDS))],
        "SessionStart": [_group(call(*words, timeout=_TOOL_SECONDS))],
        "ConfigChange": [_group(call(*words, timeout=_TOOL_SECONDS))],
    }


def _group(hook: dict[str, object], matcher: str = "") -> dict[str, object]:
    return {**({"matcher": matcher} if matcher else {}), "hooks": [hook]}


def _name_command(line: str, milliseconds: int) -> dict[str, object]:
    return {"type": "command", "name": "handoff-tui", "command": line, "timeout": milliseconds}
