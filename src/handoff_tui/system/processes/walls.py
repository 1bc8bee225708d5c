"""The kernel's walls around a command, through bubblewrap: namespaces in which it sees only what it is given.

Everything outside is read-only or not there: no home folder, no sockets of agents, no other process, no network.
"""

from __future__ import annotations

import functools
import os
import pwd
import shutil
import subprocess
import sys
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from handoff_tui.core.classes import NamedTuple

NO_WALLS = (
    "Without bubblewrap, commands run in a clean checkout with a home of their own, but could still reach your files. "
    "Install bubblewrap (bwrap) to shut them in."
)
_PROGRAMS = os.pathsep.join(("/usr/bin", "/bin", "/usr/local/bin", "/run/current-system/sw/bin"))
"""Where an administrator installs it: nobody else's counts."""
_SETUP = (
    *("--die-with-parent", "--unshare-pid", "--unshare-ipc", "--cap-drop", "ALL"),
    *("--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"),
)
_TMP = "/tmp"  # noqa: S108 - as the command sees it
_EMPTIED = ("/run", "/var/tmp")  # noqa: S108 - they are hidden, not used
_REPLACED = ("/dev/shm", *_EMPTIED, _TMP)  # noqa: S108
_OF_THE_SYSTEM = ("/run/current-system", "/run/opengl-driver", "/run/wrappers")
_NAME_SERVICE = ("/run/systemd/resolve", "/run/nscd", "/run/resolvconf")
_PROBE_SECONDS = 10
_DEEP = 2
_SHIMS = "shims"
"""Managers of versions (pyenv, rbenv, asdf) keep their programs beside this folder."""


_INSTALLED_AT = {"RUSTUP_HOME": ".rustup", "GOMODCACHE": "go/pkg/mod"}
"""Variables that say where toolchains and packages are installed, and where that is in a home if they don't."""
CRATES = Path(".cargo/registry")
"""Where Cargo keeps the sources of packages, in a home; its passwords lie beside it, so no variable leads there."""


class Bound(NamedTuple):
    """A path as the command sees it, and where its content lies."""

    inside: Path
    outside: Path
    writable: bool = False
    optional: bool = False
    """Whether it may be missing."""


class Walls(NamedTuple):
    """What a command is given."""

    bound: tuple[Bound, ...]
    temporary: Path
    """Where what it writes to /tmp goes."""
    hidden: tuple[Path, ...] = ()
    """Files and folders that it must not see, besides the home folder."""
    network: bool = False
    home: bool = False
    """Whether it sees the user's home folder and the sockets of their session."""

    def build(self, program: str) -> list[str]:
        """Returns the command line that puts what follows it behind the walls."""
        words = [program, *_SETUP]
        if not self.network:
            words.append("--unshare-net")
        for folder in () if self.home else _EMPTIED:
            if Path(folder).is_dir() and not Path(folder).is_symlink():
                words += ("--tmpfs", folder)
        for place in () if self.home else (*find_homes(), *self._list_hidden()):
            if place.is_dir():
                words += ("--tmpfs", str(place))
            elif place.exists():
                words += ("--ro-bind", os.devnull, str(place))
        for place in (*_OF_THE_SYSTEM, *(_NAME_SERVICE if self.network else ())):
            words += ("--ro-bind-try", place, place)
        if self.home:
            words += (word for home in find_homes() for word in ("--bind-try", str(home), str(home)))
        words += ("--bind", str(self.temporary), _TMP)
        for place in _find_own_program():
            words += ("--ro-bind-try", str(place), str(place))
        for bound in self.bound:
            way = f"--{'' if bound.writable else 'ro-'}bind{'-try' if bound.optional else ''}"
            words += (way, str(bound.outside), str(bound.inside))
        return [*words, "--"]

    def _list_hidden(self) -> list[Path]:
        """What isn't in a home, which is hidden as a whole."""
        homes = find_homes()
        places = [place.resolve() for place in self.hidden]
        return [place for place in places if not any(place.is_relative_to(home) for home in homes)]


@functools.cache
def find_bubblewrap() -> str | None:
    """Returns the program that builds the walls; None if it isn't installed, or may not build any here."""
    program = shutil.which("bwrap", path=_PROGRAMS)
    if program is None:
        return None
    words = [program, *_SETUP, "--unshare-net", "--tmpfs", "/tmp", "--", "/bin/sh", "-c", ":"]  # noqa: S108
    try:
        answer = subprocess.run(
            words, stdin=subprocess.DEVNULL, capture_output=True, check=False, cwd="/", env={}, timeout=_PROBE_SECONDS
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return program if answer.returncode == 0 else None


def find_homes() -> tuple[Path, ...]:
    """Returns the user's home folders, by the environment and by the system; never the root folder."""
    named = [os.environ.get("HOME", "")]
    with suppress(KeyError):  # a user of a container has no name
        named.append(pwd.getpwuid(os.getuid()).pw_dir)
    places = dict.fromkeys(Path(name).resolve() for name in named if name and Path(name).is_absolute())
    return tuple(place for place in places if place != Path(place.anchor) and place.is_dir())


def find_program_folders(words: Iterable[str], search_path: str, folder: Path) -> tuple[Path, ...]:
    """Returns hidden folders that hold programs: those on the search path, and those of the programs named.

    For `…/bin` it is the folder above, which has the libraries, unless that is directly in the home: it may hold more.
    """
    depths = {Path(place): 1 for place in _REPLACED} | dict.fromkeys(find_homes(), _DEEP)
    places = [Path(entry) for entry in search_path.split(os.pathsep) if Path(entry).is_absolute()]
    for word in words:
        found = shutil.which(word, path=search_path) if os.sep not in word else str(folder / word)
        if found is not None and os.path.isfile(found):  # noqa: PTH113 - a word may be no path at all
            places += (
                Path(found).parent,
                Path(os.path.realpath(found)).parent,
            )  # a virtual environment, and its Python
    chosen = (
        _find_prefix(place, above, deep) for place in places for above, deep in depths.items() if above in place.parents
    )
    return tuple(dict.fromkeys(place for place in chosen if place is not None and place.is_dir()))


def find_installed() -> dict[str, Path]:
    """Returns by variable where the toolchains and packages of a language lie in the home, as far as they are there."""
    return {
        name: place
        for home in reversed(find_homes())
        for name, folder in _INSTALLED_AT.items()
        if (place := Path(os.environ.get(name) or home / folder)).is_dir()
    }


def find_crates() -> Path | None:
    """Returns where the sources of Cargo's packages lie; None if they lie nowhere."""
    return next((place for home in find_homes() if (place := home / CRATES).is_dir()), None)


def _find_prefix(place: Path, above: Path, deep: int) -> Path | None:
    depth = len(place.relative_to(above).parts)
    if place.name == _SHIMS or (place.name == "bin" and depth > deep):
        return place.parent
    return place if depth >= deep else None


def _find_own_program() -> list[Path]:
    """Returns where Python and this package lie: the command's parent runs behind the walls too."""
    package = Path(__file__).resolve().parents[2]
    return [*dict.fromkeys(Path(place).resolve() for place in (sys.base_prefix, sys.prefix)), package]
