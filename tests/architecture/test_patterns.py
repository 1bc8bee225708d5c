"""Patterns are compiled late, so a broken one would be noticed late: here each is compiled once."""

from __future__ import annotations

import gc
import importlib
import pkgutil

import handoff_tui
from handoff_tui.core.lazy_pattern import LaterPattern


def test_every_pattern_of_the_program_can_be_compiled() -> None:
    """Importing all modules makes all patterns; each of them is a regular expression."""
    for module in pkgutil.walk_packages(handoff_tui.__path__, "handoff_tui."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    gc.unfreeze()  # a verb that ran in this process before may have hidden what it imported
    patterns = [value for value in gc.get_objects() if isinstance(value, LaterPattern)]
    assert len(patterns) > 100
    for pattern in patterns:
        assert pattern.pattern is not None
