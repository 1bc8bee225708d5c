"""The table of rules. To add one: write it in a file below rules/."""

from __future__ import annotations

import pkgutil
from collections.abc import Iterator
from importlib import import_module

from handoff_tui.checks import rules
from handoff_tui.checks.rule import Rule, System

_SYSTEMS = tuple(System)


def _find_rules() -> Iterator[Rule]:
    for module in pkgutil.walk_packages(rules.__path__, f"{rules.__name__}."):
        yield from (value for value in vars(import_module(module.name)).values() if isinstance(value, Rule))


RULES = tuple(sorted(_find_rules(), key=lambda rule: (_SYSTEMS.index(rule.system), rule.id)))
"""By system, then by id."""
