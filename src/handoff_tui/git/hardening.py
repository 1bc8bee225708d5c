"""The environment and the configuration under which git may run on an untrusted repository.

Settings that execute something are honoured from system and global scope only. What local or worktree scope
says about them, which an agent can write, is overridden key by key through GIT_CONFIG_KEY_n (not `-c`, whose
first `=` ends the key and would let a driver named `a=b` slip through). Nor may a pipe or a device be in place of a
file that git reads: git would open it and wait for ever.
"""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Iterator
from pathlib import Path

from handoff_tui.core.errors import RepositoryError
from handoff_tui.system.processes.programs import build_search_path

_READ_IN_FOLDERS = (".gitattributes", ".gitignore")
_READ_AT_THE_ROOT = (*_READ_IN_FOLDERS, ".gitmodules", ".mailmap")
_READ_OF_GIT = (
    *("HEAD", "config", "config.worktree", "index", "packed-refs", "commondir", "gitdir", "shallow"),
    *("info/attributes", "info/exclude", "info/sparse-checkout", "info/grafts", "objects/info/alternates"),
)
_GIT = ".git"
_LONGEST_NAME = 8192
_LONGEST_SEARCH_SECONDS = 10.0
_KINDS = (
    (stat.S_ISFIFO, "a named pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)


def refuse_special_files(start: Path) -> None:
    """Checks the few places that git reads first, around a folder. Takes a few calls and opens nothing."""
    for folder in (start.absolute(), *start.absolute().parents):
        git_dir = folder / _GIT
        if os.path.lexists(git_dir):
            _refuse(folder, (_GIT, *_READ_AT_THE_ROOT))
            for place in _find_git_folders(git_dir):
                _refuse(place, _READ_OF_GIT)
            return


def refuse_special_files_below(folder: Path) -> None:
    """Checks every folder of the work tree, if git is silent; this may take a while."""
    refuse_special_files(folder)
    late = time.monotonic() + _LONGEST_SEARCH_SECONDS
    for place, folders, names in os.walk(folder):
        if _GIT in folders:
            folders.remove(_GIT)
        _refuse(place, tuple(name for name in _READ_IN_FOLDERS if name in names))
        if time.monotonic() > late:
            return


def _find_git_folders(git_dir: Path) -> Iterator[Path]:
    """Yields the git folder, or the one that a linked work tree names, and the folder it shares with others."""
    if git_dir.is_file():
        git_dir = git_dir.parent / _read_name(git_dir).removeprefix("gitdir: ")
    yield git_dir
    shared = git_dir / "commondir"
    if shared.is_file():
        yield git_dir / _read_name(shared)


def _read_name(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return os.fsdecode(file.read(_LONGEST_NAME)).rstrip("\n").replace("\0", "")
    except OSError:
        return ""


def _refuse(folder: Path | str, names: tuple[str, ...]) -> None:
    beginning = f"{folder}{os.sep}"  # a path object a name would cost more than the question itself
    for name in names:
        path = beginning + name
        kind = _find_kind(path)
        if kind is not None:
            raise RepositoryError(
                f"{path} is {kind}, and git would wait for it forever",
                "Remove it, or put a regular file in its place; nothing was read.",
            )


def _find_kind(path: str) -> str | None:
    """Returns the kind of special file a path leads to; None for files, folders and missing paths."""
    try:
        mode = os.stat(path).st_mode  # noqa: PTH116 - see above
    except (OSError, ValueError):
        return None
    if stat.S_ISREG(mode) or stat.S_ISDIR(mode):
        return None
    return next((words for is_kind, words in _KINDS if is_kind(mode)), None)


_KEPT = frozenset({"GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM"})
"""The user's choice of user-wide configuration; every other GIT_ variable may come from a surrounding hook."""

_FIXED_ENVIRONMENT = {
    "GIT_ALLOW_PROTOCOL": "none",  # no transport at all: a promisor remote could run a command
    "GIT_ASKPASS": "true",
    "GIT_ATTR_NOSYSTEM": "0",
    "GIT_EDITOR": ":",
    "GIT_GRAFT_FILE": os.devnull,
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_PAGER": "cat",
    "GIT_SSH_COMMAND": "false",
    "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C",
    "SSH_ASKPASS": "true",
}

_FIXED_SETTINGS = (
    ("advice.graftFileDeprecated", "false"),  # git prints this about the empty file that replaces the grafts
    ("core.checkStat", "default"),  # with "minimal", a changed file with its old size and time counts as unchanged
    ("core.commitGraph", "false"),  # a cache that anyone can write, and that git trusts about parents and dates
    ("core.fsmonitor", "false"),
    ("core.hooksPath", os.devnull),
    ("core.ignoreStat", "false"),
    ("core.trustctime", "true"),
    ("core.untrackedCache", "false"),
    ("core.pager", "cat"),
    ("core.quotePath", "false"),
    ("credential.helper", ""),
    ("diff.external", ""),
    ("diff.ignoreSubmodules", "dirty"),
    ("diff.orderFile", os.devnull),
    ("gc.auto", "0"),
    ("i18n.logOutputEncoding", "UTF-8"),
    ("log.follow", "false"),
    ("log.mailmap", "false"),
    ("log.showSignature", "false"),
    ("maintenance.auto", "false"),
    ("protocol.allow", "never"),
    ("status.submoduleSummary", "false"),
    ("submodule.recurse", "false"),
)

_EXECUTING_SECTIONS = frozenset({
    "alias", "browser", "credential", "difftool", "guitool", "hook", "http", "instaweb", "man", "mergetool", "pager",
    "receive", "sendemail", "ssh", "uploadpack", "web",
})  # fmt: skip
_EXECUTING_KEYS = {
    "core": ("alternaterefscommand", "askpass", "editor", "fsmonitor", "gitproxy", "hookspath", "pager", "sshcommand"),
    "diff": ("external", ".command", ".textconv", ".cachetextconv"),
    "filter": (".clean", ".smudge", ".process", ".required"),
    "gpg": ("program", "defaultkeycommand"),
    "imap": ("tunnel",),
    "interactive": ("difffilter",),
    "log": ("showsignature",),
    "merge": (".driver", "tool"),
    "remote": (".uploadpack", ".receivepack", ".vcs", ".proxy", ".promisor"),
    "sequence": ("editor",),
    "submodule": (".update",),
    "tar": (".command",),
    "trailer": (".cmd", ".command"),
}
"""What a key ends with after its section. A driver may have any name, even an empty one, but it has one."""

_NOTHING: tuple[str, ...] = ()
_NEUTRAL_VALUES = {"required": "false", "showsignature": "false", "promisor": "false"}
"""The values that mean "off" where an empty string is not valid."""

TRUSTED_SCOPES = frozenset({"system", "global"})
"""Scopes that only the user writes; an agent can write all others."""

ConfigLine = tuple[str, str, str]
"""Scope, key, value, as `git config --show-scope --list` prints them."""


def build_environment(settings: tuple[tuple[str, str], ...] = ()) -> dict[str, str]:
    """Returns a clean environment with the fixed settings and the given ones, which come last and win."""
    # read name by name: another thread may change the environment in the meantime
    environment = {
        name: value
        for name in tuple(os.environ)
        if (not name.startswith("GIT_") or name in _KEPT) and (value := os.environ.get(name)) is not None
    }
    environment.update(_FIXED_ENVIRONMENT)
    environment["PATH"] = build_search_path()
    pairs = (*_FIXED_SETTINGS, *settings)
    environment["GIT_CONFIG_COUNT"] = str(len(pairs))
    for number, (key, value) in enumerate(pairs):
        environment[f"GIT_CONFIG_KEY_{number}"] = key
        environment[f"GIT_CONFIG_VALUE_{number}"] = value
    return environment


def build_overrides(lines: list[ConfigLine]) -> tuple[tuple[str, str], ...]:
    """Returns settings that undo what the repository's configuration would execute.

    A key that the user also set for all repositories gets the user's value back (their git-lfs still works);
    one that only the repository sets gets a value that does nothing.
    """
    trusted = {key: value for scope, key, value in lines if scope in TRUSTED_SCOPES}
    planted = {key for scope, key, _ in lines if scope not in TRUSTED_SCOPES and _executes(key)}
    fixed = {key.lower() for key, _ in _FIXED_SETTINGS}
    return tuple((key, trusted.get(key, _neutral_value(key))) for key in sorted(planted) if key.lower() not in fixed)


def _executes(key: str) -> bool:
    section, _, rest = key.lower().partition(".")
    return section in _EXECUTING_SECTIONS or rest.endswith(_EXECUTING_KEYS.get(section, _NOTHING))


def parse_config_list(output: bytes) -> list[ConfigLine]:
    """Reads `git config --show-scope --list -z`: scope NUL key LF value NUL, value left out for a bare key."""
    fields = os.fsdecode(output).split("\0")  # the way the environment is encoded again
    lines: list[ConfigLine] = []
    for scope, item in zip(fields[::2], fields[1::2], strict=False):
        key, _, value = item.partition("\n")
        lines.append((scope, key, value))
    return lines


def parse_config_origins(output: bytes) -> tuple[list[ConfigLine], set[str]]:
    """Reads the same with `--show-origin`, which puts `file:<path>` after the scope; returns the files, too."""
    fields = os.fsdecode(output).split("\0")
    lines: list[ConfigLine] = []
    places: set[str] = set()
    for scope, origin, item in zip(fields[::3], fields[1::3], fields[2::3], strict=False):
        key, _, value = item.partition("\n")
        lines.append((scope, key, value))
        if origin.startswith("file:"):
            places.add(origin.removeprefix("file:"))
    return lines, places


def _neutral_value(key: str) -> str:
    return _NEUTRAL_VALUES.get(key.rpartition(".")[2].lower(), "")
