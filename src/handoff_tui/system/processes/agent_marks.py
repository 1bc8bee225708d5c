"""The marks that agent hosts leave on the processes they start, in this process's environment and its ancestors'.

An agent that wants to hide can remove them. They stop the ones that don't, and make the rest deliberate.
"""

from __future__ import annotations

import os
import sys

from handoff_tui.core.classes import NamedTuple
from handoff_tui.system.processes.identity import MARK, list_processes, read_environment, read_parent

_VARIABLES = ("PYTHONPATH", "PYTHONHOME", "PYTHONUSERBASE")
_MODULES = ("sitecustomize", "usercustomize")


def find_injected_code() -> str | None:
    """Returns what brings it; None if nothing does. With `-I` or `-E`, Python reads no variable."""
    if not sys.flags.ignore_environment:
        begun = read_environment(os.getpid()) or dict(os.environ)
        for name in _VARIABLES:
            if begun.get(name):
                return name
    for name in _MODULES:
        file = getattr(sys.modules.get(name), "__file__", None)
        if file is not None and not file.startswith((sys.base_prefix + os.sep, sys.prefix + os.sep)):
            return f"{name} ({file})"
    return None


AGENT_MARKS = {
    "AI_AGENT": "an AI agent",
    "AGENT_SESSION_ID": "an AI agent",
    "CLAUDECODE": "Claude Code",
    "CLAUDE_CODE_ENTRYPOINT": "Claude Code",
    "CURSOR_AGENT": "Cursor",
    "GEMINI_CLI": "Gemini CLI",
    "GOOSE_TERMINAL": "goose",
    "OPENCODE": "opencode",
    MARK: "a run of handoff-tui",
}
_PREFIXES = {"CODEX_": "Codex"}
_SETTINGS = frozenset({"CODEX_HOME", "CODEX_API_KEY"})
"""What a person sets for themselves."""
_FARTHEST = 64
"""No line of ancestors is longer; a loop would be."""


class AgentMark(NamedTuple):
    """A variable that says an agent is at work, and the process that carries it."""

    variable: str
    host: str
    ancestor: int | None
    """The process it was found on; None for this one."""

    def __str__(self) -> str:
        where = "set here" if self.ancestor is None else f"set in process {self.ancestor}, which started this one"
        return f"{self.variable} is {where}"


def find_agent_mark() -> AgentMark | None:
    """Returns the nearest mark of an agent; None if there is none to see."""
    own = find_mark(os.environ)
    if own is not None:
        return AgentMark(*own, None)
    pid = os.getppid()
    for _ in range(_FARTHEST):
        if pid <= 0:
            return None
        found = find_mark(read_environment(pid))
        if found is not None:
            return AgentMark(*found, pid)
        pid = read_parent(pid)
    return None


def find_agents_of_user() -> tuple[AgentMark, ...]:
    """Returns the agents that run under this user's account now, each by its first process (Linux)."""
    user = os.geteuid()
    found: dict[str, AgentMark] = {}
    for pid in list_processes(user):
        mark = find_mark(read_environment(pid))
        if mark is not None:
            found.setdefault(mark[1], AgentMark(*mark, pid))
    return tuple(found.values())


def find_mark(environment: os._Environ[str] | dict[str, str]) -> tuple[str, str] | None:
    """Returns the variable and the host it stands for; a variable without a value isn't a mark."""
    for name, host in AGENT_MARKS.items():
        if environment.get(name):
            return name, host
    for prefix, host in _PREFIXES.items():
        for name in environment:
            if name.startswith(prefix) and name not in _SETTINGS and environment[name]:
                return name, host
    return None
