"""What `run` prints is a promise: a run, a list of runs, a profile. `make golden` writes it again."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from handoff_tui.agents.engine.profile import build_profile_json, build_profile_page
from handoff_tui.agents.procedures.page import build_run_json, build_run_page, build_runs_json, build_runs_page
from handoff_tui.agents.procedures.report import (
    ProcedureRun,
    ProcedureState,
    RunOverview,
    TryKind,
    TryResult,
    WorkerView,
)
from handoff_tui.cli.output import render_json, render_page
from handoff_tui.handoffs.session import load_terminal_theme
from tests.support.command_line import say
from tests.support.golden import compare_golden
from tests.support.procedure_runs import build_report, build_run, build_try

HERE = Path(__file__).parent

STEPS = (build_try(TryKind.STEP, "one", detail="at 0123456789ab"), build_try(TryKind.RULE, "A", detail="A holds"))
WAITING: ProcedureRun = build_run(
    ProcedureState.WAITING,
    reason="pending: 0 of 1 approvals",
    current="two",
    tries=(*STEPS, build_try(TryKind.GATE, "two", TryResult.WAITING, detail="pending: 0 of 1 approvals")),
)
ROLLED_BACK: ProcedureRun = build_run(
    ProcedureState.ROLLBACK,
    number=2,
    finished=True,
    ended=104.5,
    reason="the step two failed in 2 tries: the disk is full",
    tries=(
        *STEPS,
        build_try(TryKind.STEP, "two", TryResult.ERROR, detail="the disk is full"),
        build_try(TryKind.STEP, "two", TryResult.ERROR, number=2, detail="the disk is full"),
        build_try(TryKind.FENCE, "fence"),
        build_try(TryKind.ROLLBACK, "undo-one", detail="resources.json removed"),
    ),
)
STOPPED: ProcedureRun = build_run(
    ProcedureState.FAILED,
    number=3,
    needs_human=True,
    reason="the step two failed; then the rollback undo-one took too long",
    left=("undo-one",),
)
PROFILE = build_report(failure_rate=0.1, completed=64, rolled_back=27, failed=9, injected=36)


OVERVIEW = RunOverview(
    runs=(STOPPED, ROLLED_BACK, WAITING),
    workers=(WorkerView(name="worker-1", host="kiln", since=1_900_000_000.0, pid=4711),),
)


OUTPUTS: dict[str, Callable[[], str]] = {
    "waiting.json": lambda: render_json(build_run_json(WAITING)),
    "waiting.txt": lambda: render_page(build_run_page(WAITING), load_terminal_theme(), 100),
    "rolled-back.txt": lambda: render_page(build_run_page(ROLLED_BACK), load_terminal_theme(), 160),
    "list.json": lambda: render_json(build_runs_json(OVERVIEW)),
    "list.txt": lambda: render_page(build_runs_page(OVERVIEW), load_terminal_theme(), 160),
    "profile.json": lambda: render_json(build_profile_json(PROFILE)),
    "profile.txt": lambda: render_page(build_profile_page(PROFILE), load_terminal_theme(), 100),
    "run-help.txt": lambda: say("run", "--help", environment={"COLUMNS": "100"}).stdout,
    "worker-help.txt": lambda: say("worker", "--help", environment={"COLUMNS": "100"}).stdout,
}


@pytest.mark.parametrize("name", OUTPUTS)
def test_output_is_as_promised(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Byte for byte."""
    if name.endswith("help.txt") and sys.version_info[:2] != (3, 11):
        pytest.skip("argparse lays help out differently in each Python; the expected text is that of 3.11")
    monkeypatch.setenv("NO_COLOR", "1")
    actual = OUTPUTS[name]()
    compare_golden(HERE / name, actual)
