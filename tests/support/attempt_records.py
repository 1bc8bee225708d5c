"""Attempts and failures put together by hand, for tests of what is shown of them."""

from __future__ import annotations

from handoff_tui.agents.step.report import NewCommit
from handoff_tui.changes.comparison.snapshot_diff import ComparedItem, ComparedSection, ItemChange, SnapshotDiff
from handoff_tui.checks.report import CheckResult, Evidence, Finding, Outcome, Remedy
from handoff_tui.core.place import Severity
from handoff_tui.core.tasks import Attempt
from handoff_tui.git.file_diff import ChangedFile, FileChange, FileKind, LineCounts
from handoff_tui.history.attempts.report import (
    AttemptComparison,
    AttemptDecision,
    AttemptHistory,
    AttemptOutcome,
    AttemptRun,
    CommitPlace,
    PastAttempt,
    PointKind,
    RequestedPoint,
    TestNumbers,
    ValueChange,
)
from handoff_tui.history.failure.report import (
    EarlierEnd,
    EarlierFailure,
    EarlierMatch,
    FailedCheck,
    FailureReport,
    FileSince,
    GoodMoment,
    OutputExcerpt,
    OutputLine,
)

HOSTILE = "all \x1b[2Jclear \u202egnp"
ENTRY = "sha256:" + "a" * 64
RUN = AttemptRun(
    step="agent",
    number=1,
    agent="maker",
    status="failed",
    code=1,
    seconds=75.0,
    argv=("maker", "--fast"),
    why=("it exited with 1",),
    output="/runs/output.log",
    output_bytes=2_048,
    tail=("working", "\x1b[31merror\x1b[0m"),
)
FIRST = PastAttempt(
    name="H-3:build:1",
    number=1,
    outcome=AttemptOutcome.REJECTED,
    measured=True,
    producers=("claude", "ada"),
    decisions=(
        AttemptDecision(
            entry=ENTRY, actor="bo", verb="reject", time="2026-01-02T10:00:00Z", reason="no tests\n" + HOSTILE
        ),
        AttemptDecision(entry=ENTRY, actor="cy", verb="hold", time="2026-01-02T10:05:00Z", reason="x", taken_back=True),
    ),
    runs=(RUN,),
    claimed=(Attempt(number=1, agent="claude", status="PASS", summary="all done"),),
    decided="2026-01-02T10:00:00Z",
    ran_seconds=75.0,
    commit="1" * 40,
    commit_place=CommitPlace.ASIDE,
    checks_passed=3,
    checks_total=5,
    failing=("claims-hold", "tests"),
    tests=TestNumbers(total=5, passed=3, failed=1, skipped=1),
    asked=(
        RequestedPoint(kind=PointKind.REASON, text="no tests", author="bo", evidence="words are not measured"),
        RequestedPoint(
            kind=PointKind.CHECK,
            text="claims",
            subject="claims-hold",
            author="bo",
            addressed=True,
            evidence="it passes",
        ),
        RequestedPoint(
            kind=PointKind.REMARK, text="why?", subject="a.py:2", author="bo", addressed=False, evidence="the same"
        ),
        RequestedPoint(kind=PointKind.REMARK, text="thin", author="bo"),
    ),
    asked_against="H-3:build:2",
    notes=("its commit is not behind HEAD",),
)
SECOND = PastAttempt(
    name="H-3:build:2",
    number=2,
    outcome=AttemptOutcome.APPROVED,
    measured=True,
    handed_over="2026-01-02T12:00:00Z",
    decided="2026-01-02T12:30:00Z",
    worked_seconds=7_200.0,
    waited_seconds=1_800.0,
    commits=(NewCommit(id="2" * 40, subject="mend it", author="ada@example.org"),),
    check_changes=ComparedSection(
        items=(
            ComparedItem("claims-hold", ItemChange.FIXED, "fail", "pass"),
            ComparedItem("new-one", ItemChange.NEW, None, "pass"),
        ),
        unchanged=3,
        before_total=4,
        after_total=5,
    ),
    test_changes=ComparedSection(
        items=(ComparedItem("test_c", ItemChange.VANISHED, "pass"),), unchanged=4, before_total=5, after_total=4
    ),
)
HISTORY = AttemptHistory(handoff="H-3", phase="build", title="Stations", attempts=(FIRST, SECOND))
COMPARISON = AttemptComparison(
    before=FIRST,
    after=SECOND,
    record=SnapshotDiff(tests=SECOND.test_changes or ComparedSection()),
    check_changes=SECOND.check_changes,
    files=(
        ChangedFile(
            FileChange("M", "a.py", None, "100644", "100644", "3" * 40, "4" * 40), FileKind.TEXT, LineCounts(2, 1)
        ),
    ),
    commits=SECOND.commits,
    run_changes=(ValueChange(what="command", before="maker", after="maker --fast"),),
    asked=FIRST.asked,
    notes=("something is missing",),
)
FAILED = FailedCheck(
    result=CheckResult(
        id="build",
        outcome=Outcome.FAIL,
        severity=Severity.CRITICAL,
        blocking=True,
        summary="it exited with 3",
        findings=(
            Finding(message="one\nerror: " + HOSTILE, fingerprint="f", evidence=(Evidence(actual="exit code 3"),)),
        ),
        remedy=Remedy(text="Mend it.", commands=("sh build.sh",)),
        log="/logs/build.log",
    ),
    holds_back=("tests",),
    holds="`sh build.sh` succeeds.",
    command="sh build.sh",
    output=OutputExcerpt(
        path="/logs/build.log",
        total_lines=12,
        lines=(OutputLine(number=1, folded=10), OutputLine(number=11, text="error: " + HOSTILE, is_error=True)),
        first_error=11,
        errors=1,
    ),
    last_good=GoodMoment(
        source="log", time="2026-01-01T00:00:00Z", entry=ENTRY, handoff="H-2", attempt=1, commit="5" * 40, behind=True
    ),
    changes=(ValueChange(what="checks.build.run", before=None, after="sh build.sh"),),
    files=(FileSince(path="build.sh", change="modified", named=True, declares_packages=True),),
    files_total=3,
    unset=("TOKEN",),
    earlier=(
        EarlierFailure(
            entry=ENTRY,
            time="2026-01-01T00:00:00Z",
            handoff="H-1",
            phase="build",
            attempt=2,
            actor="bo",
            verb="reject",
            match=EarlierMatch.SAME_FINDING,
            shared=1,
            messages=(HOSTILE,),
            end=EarlierEnd.PASSED,
            ended_by=ENTRY,
            ended_attempt=3,
            ended_commit="6" * 40,
            ended_words="approve by cy at 2026-01-02T00:00:00Z",
        ),
    ),
)
HELD_BACK = FailedCheck(
    result=CheckResult(
        id="tests", outcome=Outcome.SKIPPED, severity=Severity.HIGH, blocking=True, summary="it needs build"
    ),
    needs=("build",),
    notes=("no entry of the log says that it ever passed",),
)
FAILURE = FailureReport(
    handoff="H-3",
    phase="build",
    attempt=2,
    blocked=True,
    passed=3,
    total=5,
    failed=(FAILED, HELD_BACK),
    last_run=RUN,
    last_run_output=FAILED.output,
    notes=("of the log the newest 300 entries were looked through",),
)
