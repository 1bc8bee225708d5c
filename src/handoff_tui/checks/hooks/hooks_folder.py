"""Where git looks for the hooks of a repository, and who said so."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

from handoff_tui.core.errors import FileUnreadableError
from handoff_tui.git.hardening import TRUSTED_SCOPES
from handoff_tui.git.repository import Repository
from handoff_tui.system.files.user_files import read_user_file

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
