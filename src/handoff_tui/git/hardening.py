"""The environment and the configuration under which git may run on an untrusted repository.

Settings that execute something are honoured from system and global scope only. What local or worktree scope
says about them, which an agent can write, is overridden key by key through GIT_CONFIG_KEY_n (not `-c`, whose
first `=` ends the key and would let a driver named `a=b` slip through).
"""

from __future__ import annotations

import os

from handoff_tui.system.processes.programs import build_search_path

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
