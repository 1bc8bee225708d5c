"""Code that Python loads before this program, because a variable or a folder says so: it could answer for a person.

Who can put it there can do more. It stops what is left lying around, and makes the rest deliberate.
"""

from __future__ import annotations

import os
import sys

from handoff_tui.system.processes.identity import read_environment

_VARIABLES = ("PYTHONPATH", "PYTHONHOME", "PYTHONUSERBASE")
_MODULES = ("sitecustomize", "usercustomize")


def find_injected_code() -> str | None:
    """Returns what brings it; None if nothing does. With `-I` or `-E`, Python reads no variable."""
    if not sys.flags.ignore_environment:
        begun = read_environment(os.getpid()) or dict(os.environ)
        for name in _VARIABLES:
            if begun.get(name):
                return name
    for name in _MODULES:
        file = getattr(sys.modules.get(name), "__file__", None)
        if file is not None and not file.startswith((sys.base_prefix + os.sep, sys.prefix + os.sep)):
            return f"{name} ({file})"
    return None
