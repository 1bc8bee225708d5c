"""A check in Python that ends as the commit says (see histories.py)."""

from __future__ import annotations

from handoff_tui.checks.context import Context
from handoff_tui.checks.rule import RuleFinding
from tests.support.histories import VERDICT


def judge(context: Context) -> list[RuleFinding]:
    return [RuleFinding("it is bad", "verdict")] if context.read_text(VERDICT) == "bad\n" else []
