from __future__ import annotations

from handoff_tui.agents.step.fix_tasks import build_fix_tasks
from handoff_tui.checks.report import CheckReport
from handoff_tui.checks.result import CheckResult, Evidence, Finding, Outcome, Remedy
from handoff_tui.config.settings.hub import Hub
from handoff_tui.core.place import Place
from handoff_tui.core.severity import Severity
from handoff_tui.core.tasks import ReportedFinding

PRIORITIES = Hub().task_priorities


def finding(title: str, severity: Severity | None = Severity.HIGH, **more: object) -> ReportedFinding:
    plain = ReportedFinding(id="F-1", title=title, where=Place(path="security_report.json", line=1), severity=severity)
    return plain.model_copy(update=more)


def report(*results: CheckResult) -> CheckReport:
    return CheckReport(mode="gate", results=results, repository="/r")


def result(name: str, *findings: Finding, severity: Severity = Severity.HIGH, blocking: bool = True) -> CheckResult:
    return CheckResult(
        id=name,
        outcome=Outcome.FAIL,
        severity=severity,
        blocking=blocking,
        summary=f"{name} failed",
        findings=findings,
        remedy=Remedy(text="Mend it."),
    )


def test_findings_become_tasks_with_priorities() -> None:
    """The most urgent first; closed ones are none; one without a severity comes last."""
    tasks = build_fix_tasks(
        None,
        [
            finding("slow", Severity.LOW),
            finding("leak", Severity.CRITICAL, file="src/a.py", line=3),
            finding("odd", None),
            finding("gone", status="Fixed"),
        ],
        PRIORITIES,
        ("fixed",),
    )
    assert [(task.title, task.priority, task.place) for task in tasks] == [
        ("leak", 10, "src/a.py:3"),
        ("slow", 5, ""),
        ("odd", 0, ""),
    ]


def test_same_finding_is_told_once() -> None:
    """However it is spelled; the other reports that name it are kept, and the higher priority wins."""
    other = finding("SQL injection!", Severity.MEDIUM, where=Place(path="bugs.json", line=1), file="a.py")
    tasks = build_fix_tasks(None, [other, finding("SQL  Injection", file="a.py", line=9)], PRIORITIES)
    [task] = tasks
    assert (task.priority, task.source, task.also) == (10, "security_report.json", ("bugs.json",))


def test_same_title_in_another_file_is_another_task() -> None:
    """Two places have to be mended."""
    assert len(build_fix_tasks(None, [finding("leak", file="a.py"), finding("leak", file="b.py")], PRIORITIES)) == 2


def test_blocking_checks_become_tasks() -> None:
    """Each finding with its place and remedy; warnings and what passed are none."""
    found = Finding(message="a hash\nis wrong", fingerprint="x", evidence=(Evidence(path="p.md", line=4),))
    tasks = build_fix_tasks(
        report(result("hashes-hold", found), result("bare"), result("warns", blocking=False)), [], PRIORITIES
    )
    assert [(task.source, task.title, task.place) for task in tasks] == [
        ("check:bare", "bare failed", ""),
        ("check:hashes-hold", "a hash", "p.md:4"),
    ]
    assert {task.detail for task in tasks} == {"Mend it."}


def test_check_and_report_that_name_the_same_are_one_task() -> None:
    """A check over the report repeats it."""
    found = Finding(message="leak", fingerprint="x", evidence=(Evidence(path="a.py", line=1),))
    [task] = build_fix_tasks(
        report(result("security-report-clears", found)), [finding("leak", file="a.py")], PRIORITIES
    )
    assert {task.source, *task.also} == {"security_report.json", "check:security-report-clears"}


def test_check_that_repeats_a_report_in_its_own_words_is_no_second_task() -> None:
    """By the line of the report and the title; what the report says is kept, with the file that is to be mended."""
    found = Finding(
        message="F-1 is open and high: Leak!",
        fingerprint="x",
        evidence=(Evidence(path="security_report.json", line=1),),
    )
    other = found.model_copy(update={"message": "F-1 has no severity", "fingerprint": "y"})
    first, second = build_fix_tasks(
        report(result("security-report-clears", found, other)), [finding("leak", file="a.py", line=3)], PRIORITIES
    )
    assert (second.place, second.also) == ("a.py:3", ("check:security-report-clears",))
    assert first.title == "F-1 has no severity"


def test_very_many_findings_of_one_check_are_bounded() -> None:
    """A prompt has room for some."""
    many = tuple(Finding(message=f"finding {number}", fingerprint=str(number)) for number in range(500))
    assert len(build_fix_tasks(report(result("many", *many)), [], PRIORITIES)) == 50
