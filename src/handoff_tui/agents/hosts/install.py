"""Installs and uninstalls our hooks where each host keeps its own. Everything else in these files stays as it was."""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path

from handoff_tui.agents.hosts import json_text
from handoff_tui.agents.hosts.repository_state import find_root
from handoff_tui.agents.hosts.wire import Host
from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.errors import HookError
from handoff_tui.core.model import Model
from handoff_tui.core.text.page import Cell, Page
from handoff_tui.core.text.safe_text import render_safe
from handoff_tui.system.files.named_files import read_user_file, remove_settings_file, write_settings_file
from handoff_tui.system.installation import can_import_alone, find_on_path, find_python, read_shipped_text

_TOOL_SECONDS = 30
_STOP_SECONDS = 600
"""Checks of the person's own may run."""
_WAIT_SECONDS = 7 * 24 * 3600
_CLAUDE_TOOLS = "Bash|PowerShell|Monitor|Edit|MultiEdit|Write|NotebookEdit|mcp__.*"
_GEMINI_TOOLS = "run_shell_command|write_file|replace|edit|mcp_.*"
SCHEMA = "handoff-tui/hook/v1"
_MAX_BYTES = 4 * 1024 * 1024
_NOTES = {
    Host.CODEX: "Codex runs a new or changed hook only after you have reviewed it: start codex and open /hooks.",
    Host.GEMINI: "Gemini CLI runs the hooks of a project only in folders you trust.",
    Host.GOOSE: "goose lets no hook block. docs/agent-hosts.md has a recipe that retries until the checks pass.",
    Host.VSCODE: "VS Code shows which hooks it has loaded under Chat: Configure Hooks.",
}


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


_BY_NAME = Program(("handoff-tui",))


class Deed(StrEnum):
    """What is done to one file."""

    CREATE = "create"
    CHANGE = "change"
    REMOVE = "remove"
    NOTHING = "nothing"


class FileStep(Model):
    """One file, and what is done to it."""

    path: str
    deed: Deed
    text: str


class InstallReport(Model):
    """What was done, or would be done, to the settings of a host."""

    host: str
    level: str
    verb: str
    dry_run: bool
    steps: tuple[FileStep, ...]
    notes: tuple[str, ...] = ()


class Installer:
    """The settings of one host at one level."""

    def __init__(self, host: Host, start: Path, *, user: bool) -> None:
        self.host = host
        self.user = user
        self.base = Path.home() if user else _require_root(start)
        self.level = find_level(host, user=user)

    def install(self, *, defers: bool = False, dry_run: bool = False) -> InstallReport:
        """Adds the hooks; those of an earlier version are replaced."""
        program = find_program(by_name=not self.user)
        wanted: dict[str, str | None] = dict(self.level.whole)
        if self.level.settings:
            text = self._read(self.level.settings)
            rest = text if text is None else take_out(text, self.host, self._show(self.level.settings))
            hooks = build_hooks(self.host, program, defers=defers)
            wanted[self.level.settings] = put_in(rest, hooks, self._show(self.level.settings))
        return self._carry_out("install", wanted, dry_run=dry_run)

    def uninstall(self, *, dry_run: bool = False) -> InstallReport:
        """Takes the hooks out again; files that were made for them go, too."""
        wanted: dict[str, str | None] = {}
        for path, text in self.level.whole.items():
            present = self._read(path)
            if present not in {None, text}:
                raise HookError(
                    f"{self._show(path)} was ours, but somebody changed it; it is left alone",
                    "Delete it yourself if you don't need it.",
                )
            wanted[path] = None
        if self.level.settings:
            present = self._read(self.level.settings)
            shown = self._show(self.level.settings)
            wanted[self.level.settings] = None if present is None else take_out(present, self.host, shown)
        return self._carry_out("uninstall", wanted, dry_run=dry_run)

    def read_hooks(self) -> dict[str, list[object]]:
        """Returns our hooks as installed, by event; empty if there are none."""
        text = self._read(self.level.settings) if self.level.settings else None
        if text is None:
            return {}
        hooks = _find_hooks(json_text.parse(text, self._show(self.level.settings)), self._show(self.level.settings))
        if hooks is None:
            return {}
        found = {
            event: [one for one in node.build() if is_ours(one, self.host)]  # type: ignore[attr-defined]
            for event, node in hooks.members.items()
            if node.kind == "list"
        }
        return {event: ours for event, ours in found.items() if ours}

    def has_whole_files(self) -> bool:
        return all(self._read(path) == text for path, text in self.level.whole.items())

    def find_switch_off(self) -> str | None:
        """Names the file that switches all hooks off; None if none does."""
        for path in self.level.switches:
            text = self._read(path)
            if text is None:
                continue
            value = json_text.parse(text, self._show(path)).build()
            if isinstance(value, dict) and _is_off(value):
                return self._show(path)
        return None

    def _carry_out(self, verb: str, wanted: Mapping[str, str | None], *, dry_run: bool) -> InstallReport:
        steps = [self._plan(path, text) for path, text in wanted.items()]
        if not dry_run:
            for step, text in zip(steps, wanted.values(), strict=True):
                if step.deed is Deed.REMOVE:
                    remove_settings_file(Path(step.path), self.base)
                elif step.deed is not Deed.NOTHING:
                    write_settings_file(Path(step.path), (text or "").encode())
        return InstallReport(
            host=self.host.value,
            level="user" if self.user else "project",
            verb=verb,
            dry_run=dry_run,
            steps=tuple(steps),
            notes=(_NOTES[self.host],) if verb == "install" and self.host in _NOTES else (),
        )

    def _plan(self, path: str, text: str | None) -> FileStep:
        present = self._read(path)
        place = str(self.base / path)
        if present == text:
            words = "no hook of ours there" if text is None else "nothing to do"
            return FileStep(path=place, deed=Deed.NOTHING, text=words)
        if text is None:
            return FileStep(path=place, deed=Deed.REMOVE, text="removed, as there was no such file before")
        if present is None:
            return FileStep(path=place, deed=Deed.CREATE, text="written")
        return FileStep(path=place, deed=Deed.CHANGE, text="changed; everything that isn't ours stays as it was")

    def _read(self, path: str) -> str | None:
        content = read_user_file(self.base / path, _MAX_BYTES)
        try:
            return None if content is None else content.decode("utf-8")
        except UnicodeDecodeError as unread:
            raise HookError(
                f"{self._show(path)} isn't UTF-8; it is left alone", "Repair it, then try again."
            ) from unread

    def _show(self, path: str) -> str:
        return f"~/{path}" if self.user else path


def is_gone(host: Host, folder: str) -> bool:
    """Whether no settings of the host hold our hooks any more, or all hooks are switched off.

    Whoever asks was started by such a hook, so there was one.
    """
    root = find_root(folder)
    installers = [Installer(host, root or Path.home(), user=True)]
    installers += [Installer(host, root, user=False)] if root is not None else []
    try:
        return any(one.find_switch_off() for one in installers) or not any(one.read_hooks() for one in installers)
    except HookError:  # the host can't read them either, and keeps what it had
        return False


def find_program(*, by_name: bool) -> Program:
    """Returns how hooks call us: by name in settings that are shared, by its full path in a person's own."""
    if by_name:
        return _BY_NAME
    found = find_on_path()
    if found is not None:
        return Program((found,))
    python = find_python()
    if not can_import_alone(python):
        raise HookError(
            f"{python} finds handoff-tui only with PYTHONPATH, which hooks don't have", "Install it with pip or pipx."
        )
    return Program((python, "-E", "-P", "-m", "handoff_tui"))


def build_install_json(report: InstallReport) -> dict[str, object]:
    """Builds the promised JSON shape; fields may be added, never renamed."""
    return {"schema": SCHEMA, **report.model_dump(mode="json")}


def build_install_page(report: InstallReport) -> Page:
    """Builds one line per file: what was done, or would be."""
    page = Page()
    for step in report.steps:
        nothing = step.deed is Deed.NOTHING
        glyph, role = ("·", "muted") if nothing else ("○", "accent") if report.dry_run else ("✓", "pass")
        page.line(Cell(f"{glyph} ", role), Cell(render_safe(step.path), "path"), Cell(f"  {step.text}"), indent=4)
    for note in report.notes:
        page.line(Cell("! ", "warning"), Cell(note), indent=4)
    if report.dry_run:
        page.line(Cell("Nothing was changed: this was a dry run.", "muted"))
    return page


def _require_root(start: Path) -> Path:
    root = find_root(os.path.abspath(start))  # noqa: PTH100 - links stay as the person named them
    if root is None:
        raise HookError(
            f"{start} is not inside a git repository", "Change into one, or use --user for all of your repositories."
        )
    return root


def put_in(text: str | None, hooks: Mapping[str, list[dict[str, object]]], shown: str) -> str:
    if text is None:
        return json_text.render_new({"hooks": hooks})
    if _find_hooks(json_text.parse(text, shown), shown) is None:
        return json_text.add_member(text, json_text.parse(text, shown), "hooks", hooks)
    for event, groups in hooks.items():
        present = _require_hooks(text, shown)
        if event not in present.members:
            text = json_text.add_member(text, present, event, groups)
            continue
        for group in groups:
            node = _require_hooks(text, shown).members[event]
            if node.kind != "list":
                raise HookError(
                    f"{shown}: hooks.{event} isn't a list; the file is left alone", "Repair it, then try again."
                )
            text = json_text.add_item(text, node, group)
    return text


def take_out(text: str, host: Host, shown: str) -> str | None:
    """Takes out one hook of ours after the other; None if nothing but what we wrote was there."""
    rest: str | None = text
    while rest is not None:
        before = rest
        rest = _take_out_one(before, host, shown)
        if rest == before:
            return rest
    return None


def _take_out_one(text: str, host: Host, shown: str) -> str | None:
    root = json_text.parse(text, shown)
    hooks = _find_hooks(root, shown)
    for event, node in reversed(hooks.members.items() if hooks is not None else ()):
        for position, item in reversed(list(enumerate(node.items))):
            if is_ours(item.build(), host):
                path = [(root, "hooks"), (hooks, event), (node, position)]
                return _remove_upwards(text, path)  # type: ignore[arg-type]
            inner = item.members.get("hooks")
            for place, one in enumerate(inner.items if inner is not None else ()):
                if inner is not None and is_ours(one.build(), host):
                    return json_text.remove(text, inner, place)
    return text


def _remove_upwards(text: str, path: list[tuple[json_text.Node, str | int]]) -> str | None:
    """Removes the innermost element, and every object or list around it that was made for it."""
    for node, key in reversed(path):
        position = node.names.index(key) if isinstance(key, str) else key
        left = json_text.remove(text, node, position)
        if left is not None:
            return left
    return None


def _find_hooks(root: json_text.Node, shown: str) -> json_text.Node | None:
    if root.kind != "object":
        raise HookError(f"{shown} isn't a JSON object; the file is left alone", "Repair it, then try again.")
    hooks = root.members.get("hooks")
    if hooks is not None and hooks.kind != "object":
        raise HookError(f"{shown}: hooks isn't an object; the file is left alone", "Repair it, then try again.")
    return hooks


def _require_hooks(text: str, shown: str) -> json_text.Node:
    hooks = _find_hooks(json_text.parse(text, shown), shown)
    if hooks is None:
        raise HookError(f"{shown} has no hooks", "")
    return hooks


def _is_off(value: Mapping[str, object]) -> bool:
    configured = value.get("hooksConfig")
    return value.get("disableAllHooks") is True or (isinstance(configured, dict) and configured.get("enabled") is False)
