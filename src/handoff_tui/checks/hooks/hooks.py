"""Installs and uninstalls the git hooks that run the checks. Earlier hooks are kept and restored."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Iterable
from contextlib import nullcontext
from pathlib import Path

from handoff_tui import __version__
from handoff_tui.checks.hooks import hook_files
from handoff_tui.checks.hooks.hook_files import HookCondition, HookDeed, HookName, HookReport, HookStep, render_hook
from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.errors import FileUnreadableError, HookError
from handoff_tui.git.hardening import TRUSTED_SCOPES
from handoff_tui.git.repository import Repository, open_repository
from handoff_tui.system.files.named_files import read_user_file
from handoff_tui.system.installation import can_import_alone, find_python

_KEY = "core.hooksPath"
_MAX_BYTES = 1024 * 1024


class HooksSetting(NamedTuple):
    """A `core.hooksPath`: its scope, its value, and the file and line that say it."""

    scope: str
    value: str
    file: Path
    line: int | None

    @property
    def trusted(self) -> bool:
        """Whether only the user writes there; an agent may have written any other scope."""
        return self.scope in TRUSTED_SCOPES


class HooksFolder(NamedTuple):
    """`path` is where git looks; `own` is the repository's own folder, where it looks unless told otherwise."""

    path: Path
    own: Path
    setting: HooksSetting | None
    leads_to: Path | None
    """Where the own folder leads, when it is a link."""

    @property
    def elsewhere(self) -> bool:
        return self.setting is not None or self.leads_to is not None


def find_hooks_folder(repository: Repository) -> HooksFolder:
    """Finds the folder, which all worktrees of a repository share; a submodule has its own."""
    own = repository.common_dir / "hooks"
    setting = _read_setting(repository)
    leads_to = own.resolve() if setting is None and own.is_symlink() else None
    path = own if setting is None else repository.root / Path(setting.value).expanduser()
    return HooksFolder(path, own, setting, leads_to)


def _read_setting(repository: Repository) -> HooksSetting | None:
    """Reads the setting that wins, without the one that we pass to git so that no hook runs."""
    answer = repository.git.run("config", "--show-scope", "--show-origin", "-z", "--get-all", _KEY)
    fields = os.fsdecode(answer.stdout).split("\0")
    said = [words for words in zip(fields[::3], fields[1::3], fields[2::3], strict=False) if words[0] != "command"]
    if not said:
        return None
    scope, origin, value = said[-1]
    file = repository.root / origin.removeprefix("file:")
    return HooksSetting(scope, value, file, _find_line(file))


def _find_line(file: Path) -> int | None:
    """Returns the last line of a git configuration file that sets it."""
    try:
        content = read_user_file(file, _MAX_BYTES) or b""
    except FileUnreadableError:
        return None
    lines = content.decode("utf-8", "replace").splitlines()
    found = [number for number, line in enumerate(lines, 1) if line.strip().lower().startswith("hookspath")]
    return found[-1] if found else None


_OURS = (HookCondition.CURRENT, HookCondition.OUTDATED)
_CALL = "handoff-tui check --pre"


def install_hooks(start: Path, names: Iterable[HookName], *, shared: bool = False, dry_run: bool = False) -> HookReport:
    """Writes the hooks, or says what would be written: all of them, or none."""
    repository = open_repository(start)
    folder = find_hooks_folder(repository)
    _refuse_folder(folder, shared=shared)
    python = _find_usable_python()
    wanted = {name: render_hook(name, python, __version__) for name in names}

    def carry_out(found: hook_files.FoundHook, deed: HookDeed) -> None:
        if deed is not HookDeed.NOTHING:
            hook_files.write_hook(found, wanted[found.name])

    place = folder.leads_to or folder.path
    steps = _work(place, wanted, _plan_install, carry_out, dry_run=dry_run)
    return HookReport(
        repo=str(repository.root),
        folder=str(place),
        shared=folder.elsewhere,
        dry_run=dry_run,
        verb="install",
        steps=steps,
        notes=_collect_notes(repository, python),
    )


def uninstall_hooks(
    start: Path, names: Iterable[HookName], *, shared: bool = False, dry_run: bool = False
) -> HookReport:
    """Removes our hooks and restores the earlier ones."""
    repository = open_repository(start)
    folder = find_hooks_folder(repository)
    if shared and folder.setting is not None and not folder.setting.trusted:
        raise _build_planted_error(folder.setting)
    place = (folder.leads_to or folder.path) if shared else folder.own
    if folder.leads_to is not None and not shared:
        raise _build_link_error(folder)
    wanted = {name: render_hook(name, find_python(), __version__) for name in names}
    return HookReport(
        repo=str(repository.root),
        folder=str(place),
        shared=shared and folder.elsewhere,
        dry_run=dry_run,
        verb="uninstall",
        steps=_work(place, wanted, _plan_uninstall, _take_away, dry_run=dry_run),
    )


def _work(
    folder: Path,
    wanted: dict[HookName, bytes],
    plan: Callable[[hook_files.FoundHook], HookStep],
    carry_out: Callable[[hook_files.FoundHook, HookDeed], None],
    *,
    dry_run: bool,
) -> tuple[HookStep, ...]:
    with nullcontext() if dry_run else hook_files.hold_folder(folder, make=carry_out is not _take_away):
        found = [hook_files.read_hook(folder, name, content) for name, content in wanted.items()]
        steps = tuple(plan(hook) for hook in found)
        if not dry_run:
            for hook, step in zip(found, steps, strict=True):
                carry_out(hook, step.deed)
    return steps


def _take_away(found: hook_files.FoundHook, deed: HookDeed) -> None:
    if deed is HookDeed.RESTORE:
        hook_files.put_back(found)
    elif deed is HookDeed.REMOVE:
        hook_files.remove_hook(found)
    elif deed is HookDeed.CLEAN:
        hook_files.remove_second_name(found)


def _plan_install(found: hook_files.FoundHook) -> HookStep:
    place, earlier = found.place, found.earlier
    if found.condition is HookCondition.CURRENT:
        return _build_step(found, HookDeed.NOTHING, f"{place} is ours and up to date")
    if found.condition is HookCondition.OUTDATED:
        return _build_step(
            found, HookDeed.RENEW, f"{place} is ours, but from another version or installation; write it again"
        )
    if found.condition is HookCondition.ABSENT:
        after = f", which runs {earlier} first" if found.kept else ""
        return _build_step(found, HookDeed.INSTALL, f"write {place}{after}")
    if found.condition is HookCondition.FOREIGN and (not found.kept or found.kept_is_same):
        return _build_step(found, HookDeed.CHAIN, f"keep the existing hook as {earlier}, and run it before ours")
    raise _build_refusal(found)


def _plan_uninstall(found: hook_files.FoundHook) -> HookStep:
    place, earlier = found.place, found.earlier
    if found.condition in _OURS or found.condition is HookCondition.ABSENT:
        if found.kept:
            return _build_step(found, HookDeed.RESTORE, f"put {earlier} back as {place}")
        if found.condition is HookCondition.ABSENT:
            return _build_step(found, HookDeed.NOTHING, f"there is no {place}")
        return _build_step(found, HookDeed.REMOVE, f"remove {place}; there was no hook before it")
    if found.condition is HookCondition.FOREIGN and found.kept_is_same:
        return _build_step(found, HookDeed.CLEAN, f"remove {earlier}; {place} is still the earlier hook")
    if found.condition is HookCondition.FOREIGN and not found.kept:
        return _build_step(found, HookDeed.NOTHING, f"{place} isn't ours; it stays")
    raise _build_refusal(found)


def _build_step(found: hook_files.FoundHook, deed: HookDeed, text: str) -> HookStep:
    chained = (found.kept and deed is not HookDeed.CLEAN) or deed is HookDeed.CHAIN
    earlier = str(found.earlier) if chained else None
    return HookStep(name=found.name, path=str(found.place), earlier=earlier, deed=deed, text=text)


def _build_refusal(found: hook_files.FoundHook) -> HookError:
    place, earlier = shlex.quote(str(found.place)), shlex.quote(str(found.earlier))
    if found.condition is HookCondition.EDITED:
        return HookError(
            f"{found.place} was ours, but somebody changed it; nothing was touched",
            f"Look at it. To keep the change: mv {place} {place}.changed, then run this again.",
        )
    if found.condition is HookCondition.UNUSABLE:
        return HookError(
            f"{found.place} isn't a readable file; nothing was touched",
            f"See what it is (ls -l {place}), move it aside, then run this again.",
        )
    return HookError(
        f"{found.place} isn't ours, and {found.earlier} is an earlier hook; nothing was touched",
        f"Somebody replaced our hook. Decide which of the two to keep, remove the other (rm {place}, or "
        f"rm {earlier}), then run this again.",
    )


def _refuse_folder(folder: HooksFolder, *, shared: bool) -> None:
    """Refuses a folder that other repositories share, or that an agent may have configured."""
    if folder.setting is not None and not folder.setting.trusted:
        raise _build_planted_error(folder.setting)
    if folder.setting is not None and not shared:
        raise HookError(
            f"core.hooksPath in {folder.setting.file} makes git use the hooks in {folder.path} for every repository",
            "Add --shared to write there, for all of them. For this one only: "
            f"unset it, or call `{_CALL}` from a hook there.",
        )
    if folder.leads_to is not None and not shared:
        raise _build_link_error(folder)


def _build_planted_error(setting: HooksSetting) -> HookError:
    where = f"{setting.file}:{setting.line}" if setting.line else str(setting.file)
    return HookError(
        f"this repository's own core.hooksPath ({where}) makes git use {setting.value!r}; our hooks wouldn't run",
        f"Anyone who can write .git/config can set it. If it isn't intended: git config --{setting.scope} --unset-all "
        f"core.hooksPath\nIf a hook manager set it, call `{_CALL}` from that manager's own pre-commit and pre-push.",
    )


def _build_link_error(folder: HooksFolder) -> HookError:
    return HookError(
        f"{folder.own} is a link to {folder.leads_to}, which other repositories may share",
        "Add --shared to write there, or replace the link with a folder.",
    )


def _find_usable_python() -> str:
    python = find_python()
    if not python or "\n" in python:
        raise HookError(f"a hook can't call this Python: {python!r}", "Install handoff-tui in another folder.")
    if not can_import_alone(python):
        raise HookError(
            f"{python} finds handoff-tui only through PYTHONPATH or the current folder, which hooks don't use",
            "Install it first, for example: pip install handoff-tui",
        )
    return python


def _collect_notes(repository: Repository, python: str) -> tuple[str, ...]:
    if Path(python).is_relative_to(repository.root):
        return (f"{python} is inside the repository: anyone who can write there can replace what the hook runs.",)
    return ()
