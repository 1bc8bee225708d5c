"""Finds out whether our hooks in agent hosts are installed, trusted by the host, and answering."""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Iterator
from pathlib import Path

from handoff_tui.agents.hosts.install import Installer, build_hooks, find_program
from handoff_tui.agents.hosts.repository_state import find_root
from handoff_tui.agents.hosts.wire import Host
from handoff_tui.checks.hooks.doctor_report import Diagnosis
from handoff_tui.core.errors import HandoffError
from handoff_tui.core.place import Place
from handoff_tui.core.text.toml_text import parse_toml
from handoff_tui.system.files.named_files import read_user_file
from handoff_tui.system.installation import ask_program, find_on_path, find_python

_SIGNS = {
    Host.CLAUDE: (".claude/settings.json", ".claude/settings.local.json"),
    Host.CODEX: (".codex",),
    Host.GEMINI: (".gemini",),
    Host.VSCODE: (".github/hooks",),
    Host.GOOSE: (".agents/plugins",),
    Host.OPENCODE: (".opencode",),
}
"""What a repository has whose people use a host."""
_DENIED = "handoff-tui decide approve"
_MAX_BYTES = 1024 * 1024


def diagnose_hosts(start: Path) -> tuple[Diagnosis, ...]:
    """Diagnoses each host that is used here, or that we are installed in."""
    root = find_root(os.path.abspath(start))  # noqa: PTH100 - links stay as the person named them
    if root is None:
        return ()
    return tuple(diagnosis for host in Host for diagnosis in _diagnose(host, root))


def _diagnose(host: Host, root: Path) -> Iterator[Diagnosis]:
    name = f"agent-hook-{host.value}"
    installers = [Installer(host, root, user=user) for user in (False, True)]
    try:
        installed = next((one for one in installers if _is_installed(one)), None)
        if installed is None:
            if any((root / sign).exists() for sign in _SIGNS[host]):
                message = f"{host.value} is used here, and doesn't ask handoff-tui before its agents act"
                yield Diagnosis.missing(name, message, commands=(f"handoff-tui hook install {host.value}",))
            return
        yield _diagnose_installed(name, installed, installers)
    except HandoffError as unread:
        yield Diagnosis.unknown(name, f"its settings can't be read: {unread.message}")


def _is_installed(installer: Installer) -> bool:
    if installer.level.settings:
        return bool(installer.read_hooks())
    return all((installer.base / path).exists() for path in installer.level.whole)


def _diagnose_installed(name: str, installer: Installer, installers: list[Installer]) -> Diagnosis:
    host = installer.host
    option = " --user" if installer.user else ""
    again = f"handoff-tui hook install {host.value}{option}"
    path = installer.level.settings or next(iter(installer.level.whole))
    evidence = (Place(path=str(installer.base / path) if installer.user else path),)
    off = next((found for one in installers if (found := one.find_switch_off())), None)
    if off is not None:
        return Diagnosis.missing(name, f"the hooks are installed, but {off} switches all hooks off", evidence)
    lacking = _list_lacking(installer)
    if lacking:
        message = f"the hooks are installed, but not as this version would: {', '.join(lacking)}"
        return Diagnosis.missing(name, message, evidence, (again,))
    if host is Host.CODEX and not _is_trusted_by_codex(installer.base / path):
        message = (
            "the hooks are installed, but Codex doesn't run them before you have reviewed them: open /hooks in codex"
        )
        return Diagnosis.missing(name, message, evidence)
    return _diagnose_answer(name, installer, evidence, again)


def _list_lacking(installer: Installer) -> list[str]:
    """Lists the events whose hooks are missing or different, and changed files."""
    present = installer.read_hooks()
    forms = [
        build_hooks(installer.host, find_program(by_name=not installer.user), defers=more) for more in (False, True)
    ]
    lacking = [event for event in forms[0] if present.get(event) not in [form[event] for form in forms]]
    return lacking if lacking or installer.has_whole_files() else ["a file that handoff-tui installed was changed"]


def _is_trusted_by_codex(file: Path) -> bool:
    """Whether Codex has kept a hash of the reviewed hooks of this file."""
    content = read_user_file(Path.home() / ".codex/config.toml", _MAX_BYTES)
    try:
        settings = parse_toml(content or b"")
    except ValueError:
        return False
    hooks = settings.get("hooks")
    state = hooks.get("state") if isinstance(hooks, dict) else None
    names = {str(file), os.path.realpath(file)}
    return isinstance(state, dict) and any(
        key.startswith(f"{name}:") and isinstance(value, dict) and value.get("trusted_hash")
        for key, value in state.items()
        for name in names
    )


def _diagnose_answer(name: str, installer: Installer, evidence: tuple[Place, ...], again: str) -> Diagnosis:
    """Asks the program that the host would start; nothing inside the repository is started."""
    argv = _find_argv(installer)
    if argv is None:
        message = "the hooks are installed, but handoff-tui isn't on PATH, so they can't answer"
        return Diagnosis.missing(name, message, evidence, ("pipx install handoff-tui",))
    if Path(argv[0]).is_relative_to(installer.base) and not installer.user:
        message = f"the hooks call {argv[0]}, inside the repository: anyone who can write there can replace it"
        return Diagnosis.unknown(name, message, evidence, (again,))
    question = {"hook_event_name": "PreToolUse", "cwd": str(installer.base), "tool_name": "Bash"}
    text = json.dumps({**question, "tool_input": {"command": _DENIED}})
    answer = ask_program([*argv, "hook", Host.CLAUDE.value], text)
    if answer is None or '"deny"' not in answer:
        message = f"the hooks are installed, but {shlex.join(argv)} doesn't answer them"
        return Diagnosis.missing(name, message, evidence, (again,))
    where = "for all of your repositories" if installer.user else "in this repository"
    limit = "; goose lets no hook block" if installer.host is Host.GOOSE else ""
    return Diagnosis.ok(name, f"installed {where}, and answering{limit}", evidence)


def _find_argv(installer: Installer) -> list[str] | None:
    """Returns the program as the host finds it, without its verb."""
    if installer.user and installer.level.settings:
        argv = list(find_program(by_name=False).argv)
        return argv if argv[0] in {find_on_path(), find_python()} else None
    found = find_on_path()
    return [found] if found is not None else None
