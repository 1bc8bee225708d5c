"""Consent to a repository's own commands: all of them are shown first, and trusted as they were shown."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from handoff_tui.checks.report import TrustPlan
from handoff_tui.checks.run.command_consent import is_trusted, plan_trust, trust
from handoff_tui.core.errors import ShownMovedError, UsageError
from handoff_tui.handoffs.session import open_desk


def ready_trust(root: Path) -> tuple[TrustPlan, Callable[[], str]]:
    """What would be trusted, and how it is; nothing of it runs by that."""
    desk = open_desk(root)
    plan = plan_trust(desk)
    if plan is None:
        raise UsageError("this repository asks for no commands; there is nothing to trust")
    if is_trusted(desk, plan.digest):
        raise UsageError("just these commands are trusted already")

    def do() -> str:
        now = open_desk(root)
        if plan_trust(now) != plan:
            raise ShownMovedError("the commands or their scripts have changed since this was shown")
        trust(now, plan.digest)
        return "trusted just these commands; R or F runs them"

    return plan, do
