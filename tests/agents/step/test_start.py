from __future__ import annotations

import json
from pathlib import Path

import pytest

from handoff_tui.agents.runs.phase_locks import find_lock
from handoff_tui.agents.step.end import finish_step
from handoff_tui.agents.step.follow import follow
from handoff_tui.agents.step.prepare import StepRequest, prepare_step, start_step
from handoff_tui.agents.step.report import Sign, StepOutcome
from handoff_tui.core.errors import ShownMovedError
from tests.support.stepping import HANDOFF, WORK, Stepping


def test_start_is_refused_when_something_moved_and_goes_on_when_nothing_did(stepping: Stepping) -> None:
    """What was prepared is what starts; the lock is free again, and the same try cannot be begun twice."""
    common_dir = stepping.desk().repository.common_dir
    stale = prepare_step(stepping.desk(), StepRequest(HANDOFF, "build"))
    stepping.builder.write("src/app.py", "moved\n")
    with pytest.raises(ShownMovedError, match=r"nobody was started.*src/app\.py"):
        start_step(stale)
    assert find_lock(common_dir, "build") is None
    stepping.builder.commit()
    prepared = prepare_step(stepping.desk(), StepRequest(HANDOFF, "build"))
    stepping.teach(f"{WORK}; cp $HANDOFF_TUI_CONTEXT_FILE {stepping.home}/told")
    view = follow(stepping.desk(), start_step(prepared).state.key)
    told = json.loads((stepping.home / "told").read_bytes())
    assert (told["schema"], told["key"]["phase"], told["procedure"]) == ("handoff-tui/context/v1", "build", None)
    stepping.builder.step("reset", "--quiet", "--hard", "HEAD^")
    with pytest.raises(ShownMovedError, match="try 1 of build was begun by somebody meanwhile"):
        start_step(prepared)
    report = finish_step(stepping.desk(), view.state.key)
    assert (report.outcome, report.notices[0].sign) == (StepOutcome.FAILED, Sign.DID_NOTHING)
    assert Path(report.proof).exists()
