"""Runs of agents and states of the desk with them, made by hand."""

from __future__ import annotations

from dataclasses import replace

from handoff_tui.agents.proofs import MeasuredProof, TaskProofs
from handoff_tui.agents.runs.run import LockState, PhaseLock, RunEnd, RunEnding, RunKey, RunPlan, RunState, RunStatus
from handoff_tui.agents.step.report import Direction, NewCommit, Route, RunView, StepOutcome, StepReport, TouchedFile
from handoff_tui.core.tasks import ProofKind
from handoff_tui.live.state.agents import AgentsView, OutputSource, OutputWindow, PhaseCommand, StepPlan
from handoff_tui.live.state.app import AppState, Loaded
from tests.support.desk_states import make_state

HANDOFF = "H-1"
COMMANDS = (PhaseCommand("notes", "build", "sh maker.sh {prompt_file}", from_repository=False),)
PLAN = StepPlan(
    handoff=HANDOFF,
    phase="build",
    attempt=1,
    number=2,
    direction="again",
    source="build",
    agent="maker",
    argv=("sh", "maker.sh", "{prompt_file}"),
    folder="/desk",
    worktree=False,
    environment=("HOME", "PATH"),
    timeout_seconds=600,
    tries_left=3,
    from_repository=False,
    prompt="Make it.\nThen say so.",
)
PROOFS = (
    TaskProofs(
        task="T-1",
        proofs=(
            MeasuredProof(
                path="proofs/shot.png", kind=ProofKind.SCREENSHOT, task="T-1", run="R-1", sha256="a" * 64, size=70
            ),
        ),
    ),
    TaskProofs(
        task=None,
        proofs=(
            MeasuredProof(
                path="/runs/output.log",
                kind=ProofKind.LOG,
                run="build 1.1",
                sha256="b" * 64,
                recorded="b" * 64,
                size=12,
            ),
            MeasuredProof(path="proofs/gone.json", kind=ProofKind.REPORT),
        ),
    ),
)


def make_run(number: int = 1, status: RunStatus = RunStatus.FINISHED, *, elapsed: float = 61.0) -> RunView:
    """A run that has ended with 0, or goes on; nobody has looked at its work."""
    key = RunKey(handoff=HANDOFF, phase="build", number=number)
    plan = RunPlan(key=key, argv=("sh",), folder="/desk", timeout_seconds=600, agent="maker", owner="ada", mark="m")
    over = status is RunStatus.FINISHED
    end = RunEnd(ending=RunEnding.EXITED, code=0, seconds=elapsed, output_sha256="ab" * 32) if over else None
    state = RunState(key=key, folder="/runs", status=status, plan=plan, end=end, elapsed=elapsed)
    return RunView(state=state, last_line="the last word", output="/runs/output.log")


def look_at(
    run: RunView, outcome: StepOutcome = StepOutcome.FAILED, *why: str, commits: tuple[str, ...] = ("c" * 40,)
) -> RunView:
    """The same run when its work was looked at."""
    end = run.state.end
    assert end is not None
    report = StepReport(
        key=run.state.key,
        route=Route(pipeline="notes", phase="build", direction=Direction.AGAIN),
        agent="maker",
        folder="/desk",
        end=end,
        outcome=outcome,
        why=why,
        files=(TouchedFile(path="src/app.py", change="modified"),),
        commits=tuple(NewCommit(id=one, subject="work") for one in commits),
        head_before="b" * 40,
        head_after=commits[-1] if commits else "b" * 40,
        next_move="decide on the work",
    )
    return run.model_copy(update={"report": report})


def make_lock(*, stale: bool) -> LockState:
    lock = PhaseLock(
        phase="build", handoff=HANDOFF, attempt=1, owner="ada", pid=7, started="", host="vm", since=0.0, mark=""
    )
    return LockState(lock=lock, heartbeat=0.0, age_seconds=90.0, alive=not stale, stale=stale)


def make_agent_state(*runs: RunView, **view: object) -> AppState:
    shown = AgentsView(runs, agents=COMMANDS)._replace(**view)  # type: ignore[arg-type]
    return replace(make_state(), agent=Loaded(shown))


def make_window(run: RunView, lines: tuple[str, ...], *, first: int = 0, total: int | None = None) -> OutputWindow:
    number = first + len(lines) if total is None else total
    return OutputWindow(run.state.key, OutputSource.OUTPUT, first, lines, number, 10 * number, complete=True)
