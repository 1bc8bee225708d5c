from __future__ import annotations

from handoff_tui.agents.step.report import Budget


def test_budget_is_one_try_and_its_retries() -> None:
    """Spent when all of them are used; never less than nothing is left."""
    assert [Budget(used=used, allowed=1).left for used in (0, 1, 2, 3)] == [2, 1, 0, 0]
    assert [Budget(used=used, allowed=1).is_spent for used in (0, 1, 2, 3)] == [False, False, True, True]
