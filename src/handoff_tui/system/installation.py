"""Where this program and the files shipped with it are; nothing that a hook or a repository names is run."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from handoff_tui.core.errors import HandoffError
from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.system.processes.programs import find_executable

_PACKAGE = Path(__file__).resolve().parent.parent


def find_resource(name: str) -> Path:
    """Returns the folder `themes` or `sample_repo`."""
    for candidate in (_PACKAGE / name, _PACKAGE.parent.parent / name):
        if candidate.is_dir():
            return candidate
    raise HandoffError(f"the folder {name} was not installed with handoff-tui", "Install it again with pip.")


def read_shipped_text(path: str) -> str:
    """Returns a text that lies between the modules of the package, by its path there."""
    return (_PACKAGE / path).read_text(encoding="utf-8")


def make_temporary_folder(prefix: str) -> Path:
    """Creates an empty folder in the temporary folder; the user may keep or remove it."""
    import tempfile  # noqa: PLC0415 - it imports half a dozen modules, and few calls leave a folder

    return Path(tempfile.mkdtemp(prefix=prefix)).resolve()


_PROGRAM = "handoff-tui"
_DISTRIBUTION = compile_later(r"handoff_tui-(.+)\.dist-info")
_TIMEOUT_SECONDS = 30


def find_python() -> str:
    """Returns the Python that runs this program, by its name in the virtual environment."""
    given = Path(sys.executable)
    usual = given.with_name("python3")
    return str(usual) if usual.exists() and usual.samefile(given) else sys.executable


def can_import_alone(python: str) -> bool:
    """Tells whether this Python finds the program without PYTHONPATH and the current folder, as a hook must."""
    import subprocess  # noqa: PLC0415 - the first paint looks for its theme here

    try:
        done = subprocess.run(
            [python, "-E", "-P", "-c", "import handoff_tui"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
            timeout=_TIMEOUT_SECONDS,
            cwd=Path(python).anchor,
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0


def ask_program(argv: list[str], text: str) -> str | None:
    """Starts a program of ours with this input and returns what it prints; None if it fails."""
    import subprocess  # noqa: PLC0415 - as above

    try:
        done = subprocess.run(
            argv,
            input=text.encode(),
            capture_output=True,
            check=False,
            timeout=_TIMEOUT_SECONDS,
            cwd=Path(argv[0]).anchor,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.decode("utf-8", "replace") if done.returncode == 0 else None


def is_program(path: str) -> bool:
    return Path(path).is_file() and os.access(path, os.X_OK)


def find_on_path() -> str | None:
    """Finds the program on PATH, ignoring relative folders."""
    return find_executable(_PROGRAM)


def find_command() -> str:
    """Returns what a person types to start this program here: its name if it is on PATH, else its path."""
    import shlex  # noqa: PLC0415 - every look finds a file of ours here

    beside = Path(sys.executable).with_name(_PROGRAM)
    if find_on_path() is not None:
        return _PROGRAM
    return shlex.quote(str(beside)) if is_program(str(beside)) else f"{shlex.quote(find_python())} -m handoff_tui"


def read_version_beside(python: str) -> str | None:
    """Returns the version that another Python would run, according to its folder of packages."""
    libraries = Path(python).parent.parent / "lib"
    try:
        places = sorted(libraries.glob("python3*/site-packages/handoff_tui-*.dist-info"))
    except OSError:
        return None
    versions = [match[1] for place in places if (match := _DISTRIBUTION.fullmatch(place.name))]
    return versions[0] if len(versions) == 1 else None
