"""Checks in Python that the configuration names as `module:function`; never loaded from the reviewed tree."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterable
from typing import cast

from handoff_tui.checks.context import Context
from handoff_tui.checks.contract import Moment, Rule, RuleFinding, System
from handoff_tui.config.load import REPOSITORY_FILE
from handoff_tui.config.settings.checks import Check
from handoff_tui.core.severity import Severity
from handoff_tui.handoffs.session import Desk
from handoff_tui.system.files.probe import is_inside

Judge = Callable[[Context], Iterable[RuleFinding]]


def load_functions(desk: Desk) -> list[Rule]:
    """A rule for each function; one that cannot be loaded is a rule that says so."""
    return [
        _build_rule(desk, name, check)
        for name, check in desk.loaded.settings.checks.items()
        if check.python and check.enabled
    ]


def _build_rule(desk: Desk, name: str, check: Check) -> Rule:
    return Rule(
        id=name,
        system=System.ALL,
        severity=check.severity or Severity.HIGH,
        blocking=check.blocking,
        holds=f"{check.python} finds nothing.",
        reads="whatever it asks its context for",
        remedy=check.remedy or "See the function's own findings.",
        judge=_find_judge(desk, name, check.python or ""),
        moments=tuple(Moment(moment.value) for moment in check.moments),
    )


def _find_judge(desk: Desk, name: str, target: str) -> Judge:
    """The function itself, found when it is first asked, so that a fault in it is a result and not a crash."""
    origin = desk.loaded.origins.get(f"checks.{name}.python", "")

    def judge(context: Context) -> Iterable[RuleFinding]:
        if origin.startswith(REPOSITORY_FILE):
            context.undecidable(f"{target} is named by the repository; name it in your own file to have it run")
        module_name, _, function_name = target.partition(":")
        module = _import_outside(desk, module_name)
        return cast("Judge", getattr(module, function_name))(context)

    return judge


def _import_outside(desk: Desk, name: str) -> object:
    """Imports a module with the reviewed tree taken off the search path; refuses one that comes from it anyway."""
    root = desk.repository.root
    before = list(sys.path)
    sys.path[:] = [entry for entry in before if entry and not is_inside(root, entry)]
    try:
        module = importlib.import_module(name)
    finally:
        sys.path[:] = before
    place = getattr(module, "__file__", None)
    if place is not None and is_inside(root, place):
        raise ImportError(f"{name} lies in the reviewed repository")
    return module
