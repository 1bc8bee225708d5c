"""Where this program is installed, found without running anything that a hook or a repository names."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.system.processes.programs import build_search_path

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


def is_program(path: str) -> bool:
    return Path(path).is_file() and os.access(path, os.X_OK)


def find_on_path() -> str | None:
    """Finds the program on PATH, ignoring relative folders."""
    return shutil.which(_PROGRAM, path=build_search_path())


def read_version_beside(python: str) -> str | None:
    """Returns the version that another Python would run, according to its folder of packages."""
    libraries = Path(python).parent.parent / "lib"
    try:
        places = sorted(libraries.glob("python3*/site-packages/handoff_tui-*.dist-info"))
    except OSError:
        return None
    versions = [match[1] for place in places if (match := _DISTRIBUTION.fullmatch(place.name))]
    return versions[0] if len(versions) == 1 else None
