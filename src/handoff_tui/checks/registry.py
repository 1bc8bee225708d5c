"""The table of rules. To add one: write it in a file below rules/."""

from __future__ import annotations

import os
from collections.abc import Iterator
from importlib import import_module

from handoff_tui.checks import rules
from handoff_tui.checks.rule import Rule, System

_SYSTEMS = tuple(System)


def _find_rules() -> Iterator[Rule]:
    for top in rules.__path__:
        for folder, _, files in os.walk(top):
            package = f"{rules.__name__}{folder.removeprefix(top).replace(os.sep, '.')}"
            modules = sorted(f"{package}.{name.removesuffix('.py')}" for name in files if name.endswith(".py"))
            for module in modules:
                yield from (value for value in vars(import_module(module)).values() if isinstance(value, Rule))


RULES = tuple(sorted(_find_rules(), key=lambda rule: (_SYSTEMS.index(rule.system), rule.id)))
"""By system, then by id."""
