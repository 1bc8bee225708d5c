from __future__ import annotations

import pytest

from handoff_tui.log.entry import LogProblem, LogVerdict, ProblemLevel


@pytest.mark.parametrize("level", list(ProblemLevel))
def test_only_a_fatal_problem_is_fatal(level: ProblemLevel) -> None:
    """What is refused or noted closes no gate."""
    verdict = LogVerdict(problems=(LogProblem(level=level, code="x", text="x"),))
    assert verdict.fatal is (level is ProblemLevel.FATAL)
    assert not LogVerdict().fatal
