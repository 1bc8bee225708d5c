"""Files that an agent must not write: the log, the settings, the hooks that guard both, and keys. Pure."""

from __future__ import annotations

import posixpath
from collections.abc import Callable
from fnmatch import fnmatchcase

from handoff_tui.core.classes import NamedTuple

_SETTINGS = "handoff-tui.toml"


class Protected(NamedTuple):
    """A path that is protected wherever it ends or continues another one."""

    path: str
    what: str
    below: bool = True
    """Whether everything below it is protected, too."""


_LOG, _HOOKS, _GIT_HOOKS, _KEYS = "the signed log", "the hooks of an agent host", "git hooks", "keys"

_PROTECTED = (
    Protected(".handoff-tui", _LOG),
    Protected(".git/handoff-tui", _LOG),
    Protected(".local/state/handoff-tui", _LOG),
    Protected(".cache/handoff-tui", _LOG),
    Protected(".config/handoff-tui", "the person's settings"),
    Protected(".claude/settings.json", _HOOKS),
    Protected(".claude/settings.local.json", _HOOKS),
    Protected(".claude/hooks", _HOOKS),
    Protected(".codex/hooks.json", _HOOKS),
    Protected(".codex/config.toml", _HOOKS),
    Protected(".codex/hooks", _HOOKS),
    Protected(".gemini/settings.json", _HOOKS),
    Protected(".gemini/hooks", _HOOKS),
    Protected(".gemini/trustedFolders.json", _HOOKS),
    Protected(".github/hooks", _HOOKS),
    Protected(".copilot/hooks", _HOOKS),
    Protected(".agents/plugins", _HOOKS),
    Protected(".opencode/plugins", _HOOKS),
    Protected(".opencode/plugin", _HOOKS),
    Protected(".config/opencode/plugins", _HOOKS),
    Protected(".config/opencode/plugin", _HOOKS),
    Protected(".git/hooks", _GIT_HOOKS),
    Protected(".ssh", _KEYS),
    Protected(".gnupg", _KEYS),
    Protected(".gitconfig", "the person's git settings"),
    Protected(".config/git/config", "the person's git settings"),
)
_FREE = (".ssh/known_hosts", ".ssh/known_hosts.old")
"""Changed by every new connection, and no key."""


class Places(NamedTuple):
    """Where the agent works."""

    root: str | None
    """The repository; None outside of one."""
    is_root: Callable[[str], bool]
    """Whether a folder is the root of a repository."""


def find_protection(path: str, places: Places, *, deletes: bool = False) -> str | None:
    """Says what an absolute path protects; None if it may be written.

    The path may be a pattern. With `deletes`, a folder around something protected counts, too.
    """
    parts = _split(path)
    if any(_ends_with(parts, _split(free)) for free in _FREE):
        return None
    for protected in _PROTECTED:
        if _contains(parts, _split(protected.path)):
            return protected.what
    if parts and _matches(parts[-1], _SETTINGS) and places.is_root(posixpath.dirname(path)):
        return "the settings of handoff-tui"
    return _find_inside(path, parts, places) if deletes else None


def _find_inside(path: str, parts: list[str], places: Places) -> str | None:
    """Says what would be lost with a folder: one that holds protected files by its name, or the repository."""
    if places.root is not None and f"{places.root}/".startswith(f"{path.rstrip('/')}/"):
        return "the repository with its log"
    if parts and _matches(parts[-1], ".git"):
        return "the repository's memory of the log"
    for protected in _PROTECTED:
        folders = _split(protected.path)[:-1]
        if folders and folders not in ([".github"], [".config"], [".cache"]) and _ends_with(parts, folders):
            return protected.what
    return None


def _split(path: str) -> list[str]:
    return [part.casefold() for part in path.split("/") if part]


def _contains(parts: list[str], wanted: list[str]) -> bool:
    starts = range(len(parts) - len(wanted) + 1)
    return any(all(map(_matches, parts[at : at + len(wanted)], wanted)) for at in starts)


def _ends_with(parts: list[str], wanted: list[str]) -> bool:
    return len(parts) >= len(wanted) and all(map(_matches, parts[-len(wanted) :], wanted))


def _matches(given: str, name: str) -> bool:
    """Whether a part of a path is this name, or a pattern for it; a leading dot is matched only by a dot."""
    if given == name:
        return True
    if not any(sign in given for sign in "*?["):
        return False
    return given.startswith(".") == name.startswith(".") and fnmatchcase(name, given)
