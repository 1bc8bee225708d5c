"""States of the app with a log, with agents and with debugging, made by hand."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from handoff_tui.agents.proofs import MeasuredProof, TaskProofs
from handoff_tui.agents.runs.run import LockState, PhaseLock, RunEnd, RunEnding, RunKey, RunPlan, RunState, RunStatus
from handoff_tui.agents.step.report import Direction, NewCommit, Route, RunView, StepOutcome, StepReport, TouchedFile
from handoff_tui.changes.comparison.snapshot_diff import ComparedItem, ComparedSection, ItemChange
from handoff_tui.checks.problems import measure_gate
from handoff_tui.checks.report import Outcome
from handoff_tui.core.classes import replace
from handoff_tui.core.tasks import ProofKind
from handoff_tui.git.watch.noticed import Watching
from handoff_tui.history.attempts.report import (
    AttemptComparison,
    AttemptDecision,
    AttemptHistory,
    AttemptOutcome,
    AttemptRun,
    PastAttempt,
    PointKind,
    RequestedPoint,
)
from handoff_tui.history.bisect.report import (
    BisectEnd,
    BisectProgress,
    BisectReport,
    BisectWay,
    CommitLine,
    Culprit,
    CulpritFile,
    TrialVerdict,
    TriedCommit,
)
from handoff_tui.history.failure.report import FailedCheck, FailureReport, OutputExcerpt, OutputLine
from handoff_tui.history.metrics.report import LeftOut, Metric, MetricGroup, MetricsReport, Target, Unit, Week
from handoff_tui.history.travel.values import Stop, StopKind
from handoff_tui.live.state.agents import AgentsView, OutputSource, OutputWindow, PhaseCommand, StepPlan
from handoff_tui.live.state.app import AppState, AttemptHistories, Loaded, PastView, RepositoryPart, TravelPart
from handoff_tui.log.show.view import EntryState, LogRow, ShownLog
from handoff_tui.status.inbox_item import InboxItem
from tests.support.check_reports import build_report, build_result
from tests.support.desk_states import MOMENT, ROOT, build_state, make_item, make_state

READ_AT = datetime(2026, 3, 6, 11, 58, tzinfo=UTC)
ITEM = make_item("H-1")


def build_id(letter: str) -> str:
    return f"sha256:{letter * 64}"


ROWS = (
    LogRow(
        id=build_id("d"),
        state=EntryState.VALID,
        kind="decision",
        what="approve",
        seq=4,
        time="2026-03-06T11:00:00Z",
        actor="ada@example.org",
        roles=("reviewer",),
        handoff="H-1",
        phase="build",
        attempt=1,
        head=True,
        parents=(build_id("b"), build_id("c")),
    ),
    LogRow(
        id=build_id("c"),
        state=EntryState.VALID,
        kind="submission",
        what="submit",
        seq=2,
        time="2026-03-06T10:30:00Z",
        actor="heron",
        roles=("agent",),
        handoff="H-2",
        phase="build",
        attempt=3,
        parents=(build_id("a"),),
    ),
    LogRow(
        id=build_id("b"),
        state=EntryState.VOID,
        why="the key was dropped",
        kind="decision",
        what="hold",
        seq=2,
        time="2026-03-06T10:00:00Z",
        actor="bo@example.org",
        roles=("reviewer",),
        handoff="H-1",
        phase="build",
        attempt=1,
        parents=(build_id("a"),),
    ),
    LogRow(
        id=build_id("a"),
        state=EntryState.VALID,
        kind="policy",
        what="policy 1",
        seq=1,
        time="2026-03-01T10:00:00Z",
        actor="ada@example.org",
        roles=("root",),
    ),
    LogRow(id=build_id("e"), state=EntryState.REFUSED, code="bad-envelope", why="the file is cut off"),
)
VIEW = ShownLog(
    fatal=False,
    log=build_id("a"),
    policy=build_id("a"),
    heads=(build_id("d"),),
    total=len(ROWS),
    rows=ROWS,
    problems=(),
)
DESK = AppState(
    repositories=(RepositoryPart(ROOT, "lamp", Loaded(build_state()), Watching.LIVE, reviewer="ada@example.org"),),
    inbox=(ITEM,),
    chosen=ITEM.key,
    log=Loaded(VIEW, at=MOMENT),
)


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


FIRST, SECOND = "a1" * 20, "b2" * 20


def build_attempt(number: int, outcome: AttemptOutcome, phase: str = "build", **more: Any) -> PastAttempt:  # noqa: ANN401
    """An attempt at H-1."""
    name = f"H-1:{phase}:{'now' if outcome is AttemptOutcome.OPEN else number}"
    facts: dict[str, Any] = {"checks_passed": 7, "checks_total": 9, "measured": True, "producers": ("heron",)}
    return PastAttempt(name=name, number=number, outcome=outcome, **{**facts, **more})


REJECTED = build_attempt(
    1,
    AttemptOutcome.REJECTED,
    commit=FIRST,
    decided="2026-03-05T10:00:00Z",
    worked_seconds=4_000.0,
    failing=("tests-unit",),
    decisions=(
        AttemptDecision(
            entry=build_id("b"), actor="ada@example.org", verb="reject", time="2026-03-05T10:00:00Z", reason="red tests"
        ),
    ),
    asked=(
        RequestedPoint(
            kind=PointKind.CHECK, text="2 failed", subject="tests-unit", author="bo", addressed=True, evidence="ok"
        ),
        RequestedPoint(
            kind=PointKind.REMARK, text="name it", subject="src/a.py:3", author="bo", addressed=False, evidence="same"
        ),
    ),
    asked_against="H-1:build:2",
)
HANDED_OVER = build_attempt(
    2,
    AttemptOutcome.SUBMITTED,
    commit=SECOND,
    handed_over="2026-03-06T09:00:00Z",
    checks_passed=8,
    check_changes=ComparedSection(
        items=(ComparedItem("tests-unit", ItemChange.FIXED, "fail", "pass"),), before_total=9, after_total=9
    ),
    commits=(NewCommit(id=SECOND, subject="fix: the tests", author="heron"),),
    runs=(
        AttemptRun(step="s", number=1, agent="heron", status="ready", code=0, seconds=61.0, tail=("done \x1b[31m",)),
    ),
)
HISTORY = AttemptHistory(handoff="H-1", phase="build", attempts=(REJECTED, HANDED_OVER))
EARLIER = AttemptHistory(
    handoff="H-1", phase="plan", attempts=(build_attempt(1, AttemptOutcome.APPROVED, "plan", producers=("nika",)),)
)
ATTEMPTS = AttemptHistories((HISTORY, EARLIER))
COMPARISON = AttemptComparison(before=REJECTED, after=HANDED_OVER, asked=REJECTED.asked, commits=HANDED_OVER.commits)
FAILURE = FailureReport(
    handoff="H-1",
    phase="build",
    attempt=2,
    blocked=True,
    passed=8,
    total=9,
    failed=(
        FailedCheck(
            result=build_result("tests-unit", Outcome.FAIL),
            output=OutputExcerpt(
                path="out.log",
                total_lines=40,
                lines=(OutputLine(number=1, folded=39), OutputLine(number=40, text="E  boom", is_error=True)),
                first_error=40,
                errors=1,
            ),
        ),
    ),
)
MISSED = Metric(
    id="handoff-failure-rate",
    system="A",
    title="Handoff failure rate",
    means="Attempts that were sent back, of all that were decided.",
    unit=Unit.SHARE,
    value=0.5,
    part=2,
    of=4,
    target=Target(below=0.05),
    weeks=(Week(begins="2026-02-23", value=None, of=0), Week(begins="2026-03-02", value=0.5, of=4)),
    left_out=(LeftOut(why="no submission tells when it began", number=1),),
    sources=(build_id("d"), build_id("c")),
)
UNKNOWN = Metric(
    id="time-to-resume",
    system="A",
    title="Time to resume",
    means="From a handoff to the next commit.",
    unit=Unit.SECONDS,
    why="nothing was resumed yet",
    target=Target(below=300),
)
LOOPS = Metric(
    id="loops",
    system="desk",
    title="Loops per stage",
    means="How often work was sent back.",
    unit=Unit.NUMBER,
    value=0.25,
    of=4,
    grouped_by="phase",
    groups=(MetricGroup(name="build", value=1.0, of=1), MetricGroup(name="plan", value=0.0, of=3)),
    sources=(build_id("d"),),
)
FIGURES = MetricsReport(
    repo="/desk",
    head=SECOND,
    log=build_id("a"),
    fatal=False,
    made_at="2026-03-06T12:00:00Z",
    entries=4,
    submissions=1,
    decisions=2,
    metrics=(MISSED, UNKNOWN, LOOPS),
)
CULPRIT = Culprit(
    commit=SECOND,
    parents=(FIRST,),
    author="heron",
    author_email="heron@example.org",
    date="2026-03-05T09:00:00Z",
    subject="add the parser",
    body="add the parser",
    summary="2 failed",
    files=(CulpritFile(status="M", path="src/a.py", added=3, deleted=1, named=True),),
    patch="@@ -1 +1 @@\n-good\n+bad",
)
TRIALS = (
    BisectProgress(tried=1, left=0, steps=0, commit="f" * 40, standing=TrialVerdict.BAD),
    BisectProgress(tried=2, left=12, steps=4, commit=FIRST, standing=TrialVerdict.GOOD),
    BisectProgress(tried=3, left=5, steps=3, commit="c3" * 20, standing=TrialVerdict.UNTESTABLE),
)
REPORT = BisectReport(
    check="tests-unit",
    handoff="H-1",
    end=BisectEnd.FOUND,
    way=BisectWay.TREES,
    good=FIRST,
    bad=SECOND,
    between=12,
    trials=(
        TriedCommit(
            commit=SECOND, subject="add the parser", standing=TrialVerdict.BAD, outcome=Outcome.FAIL, summary="2"
        ),
    ),
    culprit=CULPRIT,
    left=(CommitLine(commit=SECOND, author="heron", date="2026-03-05", subject="add the parser"),),
)
STOPS = (
    Stop(key=FIRST, kind=StopKind.COMMIT, commit=FIRST, time="2026-03-04T08:00:00Z", who="nika", title="begin"),
    Stop(key=SECOND, kind=StopKind.COMMIT, commit=SECOND, time="2026-03-05T09:00:00Z", who="heron", title="a parser"),
    Stop(
        key=build_id("d"),
        kind=StopKind.ENTRY,
        commit=SECOND,
        entry=build_id("d"),
        time="2026-03-06T11:00:00Z",
        who="ada@example.org",
        title="approve H-1 · build · attempt 1",
    ),
)


def build_visited(stop: Stop, item: InboxItem | None = None, **more: object) -> PastView:
    """The desk at a stop, with one handoff that waits for nobody."""
    item = item or DESK.inbox[0]._replace(waits_on_me=False)
    facts: dict[str, object] = {
        "phase": None,
        "shown": Loaded(),
        "pipeline": Loaded(),
        "checks": Loaded(build_report(build_result("tests-unit", Outcome.FAIL))),
        "problems": Loaded(),
        "log": Loaded(VIEW),
        "open_document": None,
        "document": Loaded(),
    }
    repository = RepositoryPart(item.key.root, "desk", Loaded(), watching=Watching.PAST, reviewer_note="it was")
    return PastView(stop, repository, (item,), item.key, **{**facts, **more})  # type: ignore[arg-type]


def build_travel(index: int = 1, **more: object) -> TravelPart:
    """The slider on one of three stops, which is shown."""
    visited = build_visited(STOPS[index])
    return replace(TravelPart(STOPS, index, loading=False, visited=visited), **more)  # type: ignore[arg-type]


CHECKED = build_report(build_result("tests-unit", Outcome.FAIL), build_result("types"))


def build_desk(**more: object) -> AppState:
    """A desk with everything that debugging shows."""
    parts: dict[str, object] = {
        "attempts": Loaded(ATTEMPTS, at=MOMENT),
        "metrics": Loaded(FIGURES, at=MOMENT),
        "checks": Loaded(CHECKED, at=MOMENT),
        "problems": Loaded(measure_gate(CHECKED), at=MOMENT),
    }
    return replace(DESK, **{**parts, **more})  # type: ignore[arg-type]
