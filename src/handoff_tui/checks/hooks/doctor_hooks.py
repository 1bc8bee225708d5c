"""Whether git runs the checks: the hooks themselves, the folder they are looked for in, the program they call."""

from __future__ import annotations

import shlex
from pathlib import Path

from handoff_tui import __version__
from handoff_tui.checks.facts.script_calls import Call, find_calls
from handoff_tui.checks.hooks.doctor_report import Diagnosis, Standing
from handoff_tui.checks.hooks.doctor_texts import Texts
from handoff_tui.checks.hooks.hook import HookCondition, HookName
from handoff_tui.checks.hooks.hook_files import FoundHook, read_hook, read_hook_file
from handoff_tui.checks.hooks.hook_script import CALL, render_hook
from handoff_tui.checks.hooks.hooks_folder import HooksFolder, find_hooks_folder
from handoff_tui.core.place import Place
from handoff_tui.git.repository import Repository
from handoff_tui.system.installation import find_on_path, find_python, is_program, read_version_beside

_INSTALL = "handoff-tui hooks install"
_LEFTHOOK_FILES = ("lefthook.yml", "lefthook.yaml", ".lefthook.yml", ".lefthook.yaml")
_MANAGERS = (
    # what its hooks say, and the files in which its user says what to run
    (b"pre-commit.com", "pre-commit", (".pre-commit-config.yaml",)),
    (b"lefthook", "lefthook", _LEFTHOOK_FILES),
    (b"husky", "husky", (".husky/{hook}",)),
    (b'/h"', "husky", (".husky/{hook}",)),
)


def diagnose_hooks(repository: Repository, texts: Texts, scripts: tuple[str, ...]) -> tuple[Diagnosis, ...]:
    """One line for each hook, one for the folder, one for the program behind our own hooks."""
    folder = find_hooks_folder(repository)
    found = [read_hook(folder.path, name, render_hook(name, find_python(), __version__)) for name in HookName]
    hooks = [_diagnose_hook(repository.root, hook, texts, scripts) for hook in found]
    wired = all(hook.standing is Standing.OK for hook in hooks)
    return (_diagnose_folder(repository.root, folder, wired=wired), *hooks, *_diagnose_program(repository.root, found))


def read_hook_texts(repository: Repository) -> dict[str, str]:
    """The hooks that git runs, and the earlier ones that ours run first, by path."""
    folder = find_hooks_folder(repository).path
    found = [read_hook(folder, name, b"") for name in HookName]
    places = [place for hook in found for place in (hook.place, *((hook.earlier,) if hook.kept else ()))]
    return {
        build_place(repository.root, place).path: read_hook_file(place).decode("utf-8", "replace") for place in places
    }


def build_place(root: Path, path: Path, line: int | None = None) -> Place:
    """Inside the repository by its path there, elsewhere by the whole path."""
    shown = path.relative_to(root) if path.is_relative_to(root) else path
    return Place(path=str(shown), line=line)


def _diagnose_folder(root: Path, folder: HooksFolder, *, wired: bool) -> Diagnosis:
    setting = folder.setting
    if setting is None:
        leads = f", a link to {folder.leads_to}" if folder.leads_to else ""
        return _build("hooks-path", Standing.OK, f"git looks for hooks in {folder.path}, their usual place{leads}")
    evidence = (build_place(root, setting.file, setting.line),)
    message = f"core.hooksPath ({setting.scope}) sends git to {setting.value!r} for hooks"
    if setting.trusted and wired:
        return _build("hooks-path", Standing.OK, f"{message}, and those there run the checks", evidence)
    if wired:
        return _build(
            "hooks-path",
            Standing.UNKNOWN,
            f"{message}, which run the checks; whoever can write the repository can change both",
            evidence,
        )
    unset = f"git config --{setting.scope} --unset-all core.hooksPath"
    install = f"{_INSTALL} --shared"
    return _build(
        "hooks-path",
        Standing.MISSING,
        f"{message}, past those of this repository",
        evidence,
        (install,) if setting.trusted else (unset, _INSTALL),
    )


def _diagnose_hook(root: Path, hook: FoundHook, texts: Texts, scripts: tuple[str, ...]) -> Diagnosis:
    name = f"hook-{hook.name.value}"
    here = (build_place(root, hook.place),)
    quoted = shlex.quote(str(hook.place))
    if hook.condition is HookCondition.ABSENT:
        return _build(name, Standing.MISSING, "there is none", here, (_INSTALL,))
    if hook.condition is HookCondition.UNUSABLE:
        return _build(name, Standing.MISSING, "it is no file that can be read", here, (f"ls -l {quoted}",))
    if not hook.executable:
        repair = f"chmod +x {quoted}" if hook.script is None else _INSTALL
        return _build(name, Standing.MISSING, "it is not executable, so git passes it over", here, (repair,))
    if hook.condition is HookCondition.EDITED:
        aside = f"mv {quoted} {quoted}.changed && {_INSTALL}"
        return _build(name, Standing.MISSING, "it was ours, and somebody has changed it since", here, (aside,))
    if hook.script is not None:
        return _diagnose_ours(name, root, hook)
    return _diagnose_foreign(name, root, hook, texts, scripts)


def _diagnose_ours(name: str, root: Path, hook: FoundHook) -> Diagnosis:
    lines = hook.content.decode("utf-8", "replace").splitlines()
    line = next((number for number, text in enumerate(lines, 1) if CALL in text), None)
    evidence = [build_place(root, hook.place, line)]
    chained = ""
    if hook.kept:
        evidence.append(build_place(root, hook.earlier))
        chained = ", after the earlier hook"
    if hook.condition is HookCondition.CURRENT:
        return _build(name, Standing.OK, f"ours, unchanged; runs the checks{chained}", tuple(evidence))
    if line is None or hook.script is None or hook.script.python is None:
        message = "it says that it is ours, but does not run the checks as ours do"
        return _build(name, Standing.MISSING, message, tuple(evidence), (_INSTALL,))
    if hook.content == render_hook(hook.name, hook.script.python, hook.script.version or ""):
        message = f"ours, written by handoff-tui {hook.script.version} for another Python; runs the checks{chained}"
        return _build(name, Standing.OK, message, tuple(evidence))
    message = f"it says that handoff-tui {hook.script.version} wrote it, which this version cannot confirm"
    return _build(name, Standing.UNKNOWN, message, tuple(evidence), (_INSTALL,))


def _diagnose_foreign(name: str, root: Path, hook: FoundHook, texts: Texts, scripts: tuple[str, ...]) -> Diagnosis:
    """Somebody else's hook may run the checks itself, or belong to a manager that was told to."""
    calls = find_calls(hook.content.decode("utf-8", "replace"), scripts)
    if calls:
        return _weigh(name, calls, [build_place(root, hook.place, call.line) for call in calls], "somebody else's, and")
    here = build_place(root, hook.place)
    for mark, manager, files in _MANAGERS:
        if mark not in hook.content:
            continue
        for pattern in files:
            path = pattern.format(hook=hook.name.value)
            calls = _select_for_hook(texts.read(path) or "", manager, hook.name, scripts)
            if calls:
                places = [here, *(Place(path=path, line=call.line) for call in calls)]
                return _weigh(name, calls, places, f"belongs to {manager}, whose file")
        message = f"it belongs to {manager}, which was not told to run the checks at {hook.name.value}"
        return _build(name, Standing.MISSING, message, (here,), (_INSTALL,))
    return _build(name, Standing.MISSING, "it is somebody else's and does not run the checks", (here,), (_INSTALL,))


def _select_for_hook(text: str, manager: str, hook: HookName, scripts: tuple[str, ...]) -> list[Call]:
    """Lefthook has a section for each hook; pre-commit runs its list before commits unless told otherwise."""
    calls = find_calls(text, scripts)
    if manager == "pre-commit":
        return calls if hook is HookName.PRE_COMMIT else []
    if manager != "lefthook":
        return calls
    sections = {number: line.rstrip(": ") for number, line in enumerate(text.splitlines(), 1) if line[:1].isalpha()}
    return [
        call
        for call in calls
        if sections.get(max((number for number in sections if number < call.line), default=0)) == hook.value
    ]


def _weigh(name: str, calls: list[Call], places: list[Place], whose: str) -> Diagnosis:
    toothed = any(not call.shrug for call in calls)
    if toothed:
        return _build(name, Standing.OK, f"{whose} runs the checks", tuple(places))
    return _build(name, Standing.MISSING, f"{whose} runs the checks, but {calls[0].shrug}", tuple(places), (_INSTALL,))


def _diagnose_program(root: Path, hooks: list[FoundHook]) -> tuple[Diagnosis, ...]:
    """What our own hooks call; nothing that a hook names is run to find out."""
    named = {hook.script.python: hook for hook in hooks if hook.script is not None and hook.script.python is not None}
    return tuple(_diagnose_python(root, python, hook) for python, hook in named.items())


def _diagnose_python(root: Path, python: str, hook: FoundHook) -> Diagnosis:
    evidence = (build_place(root, hook.place),)
    if python == find_python():
        inside = ", inside the repository: whoever can write there can replace it" if _is_inside(root, python) else ""
        message = f"the hooks call {python}, the one that runs now ({__version__}){inside}"
        return _build("hook-program", Standing.UNKNOWN if inside else Standing.OK, message, evidence, counts=False)
    if not is_program(python):
        on_path = find_on_path()
        if on_path is None:
            message = (
                f"the hooks call {python}, which is not there, nor is handoff-tui on PATH: every commit is blocked"
            )
            return _build("hook-program", Standing.MISSING, message, evidence, (_INSTALL,))
        message = f"the hooks call {python}, which is not there; they fall back on {on_path}"
        return _build("hook-program", Standing.UNKNOWN, message, evidence, (_INSTALL,))
    version = read_version_beside(python)
    if version == __version__:
        return _build(
            "hook-program", Standing.OK, f"the hooks call {python}, which has handoff-tui {version}", evidence
        )
    standing = Standing.UNKNOWN if version is None else Standing.MISSING
    has = (
        "whose packages do not say a version of handoff-tui" if version is None else f"which has handoff-tui {version}"
    )
    return _build(
        "hook-program", standing, f"the hooks call {python}, {has}; this is {__version__}", evidence, (_INSTALL,)
    )


def _is_inside(root: Path, python: str) -> bool:
    return Path(python).is_relative_to(root)


def _build(
    name: str,
    standing: Standing,
    message: str,
    evidence: tuple[Place, ...] = (),
    commands: tuple[str, ...] = (),
    *,
    counts: bool = True,
) -> Diagnosis:
    return Diagnosis(id=name, standing=standing, message=message, evidence=evidence, commands=commands, counts=counts)
