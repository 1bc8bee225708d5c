"""Reports of steps put together by hand, for tests of what is made of them."""

from __future__ import annotations

from handoff_tui.agents.runs.run import LockState, PhaseLock, RunEnd, RunEnding, RunKey, RunState, RunStatus
from handoff_tui.agents.step.report import (
    Budget,
    Direction,
    FixTask,
    NewCommit,
    Notice,
    Route,
    RunView,
    Sign,
    StepOutcome,
    StepReport,
    TouchedFile,
    TrailEntry,
)
from handoff_tui.core.severity import Severity

KEY = RunKey(handoff="H-1", phase="QA", attempt=2, number=3)


def build_report(outcome: StepOutcome = StepOutcome.FAILED, **changes: object) -> StepReport:
    """A run that failed in every respect."""
    report = StepReport(
        key=KEY,
        route=Route(pipeline="hub", phase="QA", source="DEV", direction=Direction.FORWARD),
        agent="qa",
        owner="ada@example.org",
        folder="/r",
        branch="refs/heads/main",
        end=RunEnd(
            ending=RunEnding.EXITED,
            code=0,
            began=1000.0,
            ended=1075.0,
            seconds=75.0,
            output_bytes=1234,
            output_sha256="ab" * 32,
        ),
        outcome=outcome,
        why=("blocking checks do not pass: claims-hold",) if outcome is not StepOutcome.READY else (),
        notices=(
            Notice(
                sign=Sign.ERROR_IN_OUTPUT,
                severity=Severity.MEDIUM,
                text="its output speaks of errors",
                places=("HTTP 500 \x1b[31m",),
            ),
        ),
        files=(TouchedFile(path="src/a.py", change="modified"),),
        commits=(NewCommit(id="c" * 40, subject="fix: it"),),
        head_before="b" * 40,
        head_after="c" * 40,
        gate="pending",
        failing=("claims-hold",),
        checks_passed=3,
        checks_total=4,
        fix_tasks=(
            FixTask(
                id="x", title="mend it", source="check:claims-hold", severity=Severity.HIGH, priority=10, place="a.py:1"
            ),
        ),
        next_phase="DEV",
        next_direction=Direction.FAILED,
        next_move="the work goes back to DEV; 2 of 4 tries left",
        budget=Budget(used=2, allowed=3),
        trail=(TrailEntry(phase="QA", attempt=2, number=3, outcome=outcome, why="claims", began=1000.0, counted=True),),
        proof="/r/.git/handoff-tui/runs/H-1/QA/a2/agent/t3/output.log",
    )
    return report.model_copy(update=changes)


def build_view(status: RunStatus = RunStatus.RUNNING, report: StepReport | None = None) -> RunView:
    state = RunState(key=KEY, folder="/f", status=status, output_bytes=99, elapsed=61.2)
    return RunView(state=state, report=report, last_line="still \x1b[1mhere", output="/f/output.log")


def build_lock(*, stale: bool = False) -> LockState:
    lock = PhaseLock(
        phase="QA",
        handoff="H-1",
        attempt=2,
        owner="ada@example.org",
        pid=42,
        started="x",
        host="desk",
        since=0.0,
        mark="t",
    )
    return LockState(lock=lock, heartbeat=1.0, age_seconds=5.0, alive=not stale, stale=stale)
