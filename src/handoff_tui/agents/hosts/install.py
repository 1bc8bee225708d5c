"""Installs and uninstalls our hooks in the settings of agent hosts. Everything else in these files stays as it was."""

from __future__ import annotations

import os
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path

from handoff_tui.agents.hosts import json_text
from handoff_tui.agents.hosts.repository_state import find_root
from handoff_tui.agents.hosts.settings import Program, build_hooks, find_level, is_ours
from handoff_tui.agents.hosts.wire import Host
from handoff_tui.core.errors import HookError
from handoff_tui.core.model import Model
from handoff_tui.core.text.page import Cell, Page
from handoff_tui.core.text.safe_text import render_safe
from handoff_tui.system.files.named_files import remove_settings_file, write_settings_file
from handoff_tui.system.files.user_files import read_user_file
from handoff_tui.system.installation import can_import_alone, find_on_path, find_python

SCHEMA = "handoff-tui/hook/v1"
_MAX_BYTES = 4 * 1024 * 1024
_BY_NAME = Program(("handoff-tui",))
_NOTES = {
    Host.CODEX: "Codex runs a new or changed hook only after you have reviewed it: start codex and open /hooks.",
    Host.GEMINI: "Gemini CLI runs the hooks of a project only in folders you trust.",
    Host.GOOSE: "goose lets no hook block. docs/agent-hosts.md has a recipe that retries until the checks pass.",
    Host.VSCODE: "VS Code shows which hooks it has loaded under Chat: Configure Hooks.",
}


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
            f"{start} is in no git repository", "Change into one, or use --user for all of your repositories."
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
