from __future__ import annotations

import os

from handoff_tui.system.files.system_calls import SYSTEM, Calls


def test_real_calls_are_those_of_the_system() -> None:
    """Every call that writing needs is the one of the `os` module."""
    names = [name for name in vars(Calls) if not name.startswith("_")]
    assert {"open", "write", "fsync", "link", "rename"} <= set(names)
    assert all(getattr(SYSTEM, name) is getattr(os, name) for name in names)
