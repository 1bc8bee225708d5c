from __future__ import annotations

from pathlib import Path

import pytest

from handoff_tui.agents.runs.folders import find_run, write_run, write_value
from handoff_tui.agents.runs.reports import write_report
from handoff_tui.agents.runs.run import RunEnd, RunEnding, RunKey, RunPlan
from handoff_tui.agents.step.report import StepOutcome
from handoff_tui.checks.engine import build_fingerprint
from handoff_tui.checks.report import CheckResult, Evidence, Finding, Outcome
from handoff_tui.checks.run.commands import CommandCheck, list_commands
from handoff_tui.config.load import build_settings
from handoff_tui.config.settings.checks import Check
from handoff_tui.core.classes import dataclass, field, replace
from handoff_tui.core.errors import UsageError
from handoff_tui.core.place import Severity
from handoff_tui.handoffs.session import Session, open_session
from handoff_tui.history.failure import failure
from handoff_tui.history.failure.changes import ChangeFinder, compare_settings, list_unset
from handoff_tui.history.failure.page import build_failed_page, build_failure_json, build_failure_page
from handoff_tui.history.failure.report import EarlierEnd, EarlierMatch, FailureReport, GoodMoment
from handoff_tui.history.past.repository import EntryEvidence, PastRepositories
from handoff_tui.log.index import DecisionEntry, SubmissionEntry
from handoff_tui.log.review_record import ReviewRecord
from handoff_tui.system.processes.walls import find_bubblewrap
from tests.support.attempt_records import FAILED, FAILURE
from tests.support.attempts import HANDOFF, PHASE, AttemptStory, build_entry, build_shown
from tests.support.desk_states import find_section, list_lines
from tests.support.logs import FIRST_VERSION_SUBJECT
from tests.support.repositories import RepositoryBuilder
from tests.support.step_reports import build_report

CONFIG = """
[checks.build]
run = ["sh", "build.sh"]
[checks.tests]
run = ["true"]
needs = ["build"]
[checks.deploy]
run = ["true"]
needs = ["tests"]
"""


@pytest.fixture
def story(tmp_path: Path, isolated_user: Path) -> AttemptStory:
    """The build passed when alice approved it; since then its script fails. The commands are the user's own."""
    story = AttemptStory(tmp_path)
    story.work("exit 0\n", "build.sh", "a build")
    story.decide("reject", 1, build_shown("build", "fail", "old"), reason="does not build")
    story.decide("approve", 2, build_shown("build", "pass"))
    story.work("echo one\necho 'error: it broke'\nexit 3\n", "build.sh", "another build")
    place = isolated_user / "config" / "handoff-tui" / "config.toml"
    place.parent.mkdir(parents=True)
    place.write_text(CONFIG, encoding="utf-8")
    return story


def read(story: AttemptStory, wanted: str | None = None, only: str | None = None) -> FailureReport:
    desk, log = story.open()
    return failure.read_failure(desk, log, wanted, only=only)


def test_cause_is_found_with_its_output_and_what_changed(story: AttemptStory) -> None:
    """The check that others wait for, the line that mentions the error, the file that changed, how it ended before."""
    report = read(story, HANDOFF)
    first = report.first
    assert first is not None
    assert (report.blocked, report.handoff, report.phase) == (True, HANDOFF, "review")
    assert (first.result.id, first.holds_back, first.command) == ("build", ("deploy", "tests"), "sh build.sh")
    assert first.output is not None
    said_first = 1 if find_bubblewrap() is None else 0  # that nothing stood around the command
    assert (first.output.first_error, first.output.total_lines) == (2 + said_first, 2 + said_first)
    assert first.last_good is not None
    assert (first.last_good.attempt, first.last_good.behind) == (2, True)
    assert [one.path for one in first.files or ()] == ["build.sh"]
    assert [(one.attempt, one.end, one.ended_attempt) for one in first.earlier] == [(1, EarlierEnd.PASSED, 2)]
    assert first.result.remedy is not None
    by_id = {one.result.id: one for one in report.failed}
    assert (by_id["tests"].result.outcome, by_id["tests"].needs) == (Outcome.SKIPPED, ("build",))


def test_one_check_can_be_asked_about(story: AttemptStory) -> None:
    """Of the whole repository too; a name that no check has is refused."""
    report = read(story, only="build")
    assert ([one.result.id for one in report.failed], report.handoff) == (["build"], None)
    with pytest.raises(UsageError):
        read(story, only="none")


def test_phase_that_is_none_is_refused(story: AttemptStory) -> None:
    """One without a handoff, and one that nothing reports; before any check runs."""
    desk, log = story.open()
    with pytest.raises(UsageError, match="needs a handoff"):
        failure.read_failure(desk, log, None, "review")
    with pytest.raises(UsageError, match="'nope'"):
        failure.read_failure(desk, log, HANDOFF, "nope")


def test_last_run_that_failed_is_told_beside_one_that_came_through(story: AttemptStory) -> None:
    """How it was started differently, and what it printed."""
    desk, _ = story.open()
    common = desk.repository.common_dir
    for number, argv, code in ((1, ("maker", "--slow"), 0), (2, ("maker", "--fast"), 1)):
        key = RunKey(handoff=HANDOFF, phase="review", number=number)
        plan = RunPlan(key=key, argv=argv, folder="/w", timeout_seconds=5, agent="maker")
        handle = write_run(common, plan, {"output.log": b"working\nfatal: no\n"})
        end = RunEnd(ending=RunEnding.EXITED, code=code, began=float(number), seconds=1.0)
        write_value(handle.folder / "exit.json", end)
        if code == 0:
            write_report(
                find_run(common, key), build_report().model_copy(update={"key": key, "outcome": StepOutcome.READY})
            )
    report = read(story, HANDOFF, "build")
    assert report.last_run is not None
    assert (report.last_run.number, report.last_run.code) == (2, 1)
    assert report.last_run_output is not None
    assert report.last_run_output.first_error == 2
    assert ("command", "maker --slow", "maker --fast") in {
        (one.what, one.before, one.after) for one in report.run_changes or ()
    }


BEFORE = '[checks.tests]\nrun = ["sh", "old.sh"]\ninputs = ["src/*"]\n[checks.other]\nrun = ["true"]\n'

AFTER = (
    '[checks.tests]\nrun = ["sh", "new.sh"]\ninputs = ["src/*"]\nneeds = ["other"]\n[checks.other]\nrun = ["false"]\n'
)

RESULT = CheckResult(
    id="tests",
    outcome=Outcome.FAIL,
    severity=Severity.HIGH,
    blocking=True,
    summary="",
    findings=(Finding(message="m", fingerprint="f", evidence=(Evidence(path="src/b.py"),)),),
)


@pytest.fixture(scope="module")
def changed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Session, str]:
    """The command and three files changed since the first commit, one of them uncommitted."""
    builder = RepositoryBuilder.init(tmp_path_factory.mktemp("changed"))
    builder.write("handoff-tui.toml", BEFORE).write("src/a.py", "1\n").write("src/b.py", "1\n").commit("good")
    good = builder.head()
    builder.write("handoff-tui.toml", AFTER).write("src/b.py", "2\n").write("src/a.py", "2\n")
    builder.write("pyproject.toml", "[project]\nname = 'x'\n").commit("bad")
    builder.write("src/c.py", "3\n")
    return open_session(builder.folder), good


def find_command(desk: Session) -> CommandCheck:
    return next(command for command in list_commands(desk, None, None) if command.id == "tests")


def test_command_is_compared_with_when_it_passed(changed: tuple[Session, str]) -> None:
    """Its own settings, and the files that it names as its inputs; what a finding names comes first."""
    desk, good = changed
    since = ChangeFinder(PastRepositories(desk)).find(
        RESULT, find_command(desk), GoodMoment(source="log", commit=good, behind=True)
    )
    assert [(one.what, one.before, one.after) for one in since.changes] == [
        ("checks.tests.run", "sh old.sh", "sh new.sh"),
        ("checks.tests.needs", "", "other"),
    ]
    assert [(one.path, one.change, one.named) for one in since.files or ()] == [
        ("src/b.py", "modified", True),
        ("src/a.py", "modified", False),
        ("src/c.py", "uncommitted", False),
    ]
    assert (since.files_total, since.notes) == (3, ())


def test_rule_may_rest_on_any_file_and_setting(changed: tuple[Session, str]) -> None:
    """Files that declare packages come before others."""
    desk, good = changed
    since = ChangeFinder(PastRepositories(desk)).find(RESULT, None, GoodMoment(source="log", commit=good, behind=True))
    assert [one.path for one in since.files or ()] == [
        "src/b.py",
        "pyproject.toml",
        "handoff-tui.toml",
        "src/a.py",
        "src/c.py",
    ]
    assert [one.declares_packages for one in since.files or ()] == [False, True, False, False, False]


def test_commit_that_is_not_here_or_aside_is_said(changed: tuple[Session, str]) -> None:
    """Without the commit nothing is compared; one that lies aside is compared, with a word."""
    desk, good = changed
    gone = ChangeFinder(PastRepositories(desk)).find(
        RESULT, None, GoodMoment(source="log", commit="0" * 40, behind=None)
    )
    assert (gone.files, gone.changes, "isn't here" in gone.notes[0]) == (None, (), True)
    aside = ChangeFinder(PastRepositories(desk)).find(RESULT, None, GoodMoment(source="log", commit=good, behind=False))
    assert (aside.files_total, "isn't in the history of HEAD" in aside.notes[0]) == (5, True)
    moment = GoodMoment(source="log", commit=good, behind=True, uncommitted=True)
    assert ChangeFinder(PastRepositories(desk)).find(RESULT, None, moment).notes == (
        "it passed with uncommitted changes, which are not compared",
    )


def test_configuration_that_cannot_be_used_is_said(tmp_path: Path) -> None:
    """The files are compared all the same."""
    builder = RepositoryBuilder.init(tmp_path)
    builder.write("handoff-tui.toml", "[nonsense]\n").commit("good")
    good = builder.head()
    builder.write("handoff-tui.toml", "").commit("mended")
    since = ChangeFinder(PastRepositories(open_session(builder.folder))).find(
        RESULT, None, GoodMoment(source="log", commit=good, behind=True)
    )
    assert "as it was then can't be used" in since.notes[0]
    assert [one.path for one in since.files or ()] == ["handoff-tui.toml"]


def test_settings_are_compared_by_their_effect() -> None:
    """A check that the file does not name has the usual settings; only what is otherwise is listed."""
    bare, named = build_settings(None, None), build_settings(None, b"[checks.a]\nrun = ['true']\n")
    assert [(one.what, one.before, one.after) for one in compare_settings(bare, named)] == [
        ("checks.a.run", "", "true")
    ]
    usual = b"[checks.claims-hold]\nenabled = true\n"
    low = b"[checks.claims-hold]\nseverity = 'low'\nparameters = {most = 2}\n"
    assert compare_settings(build_settings(None, usual), bare) == []
    assert [(one.what, one.before, one.after) for one in compare_settings(build_settings(None, low), bare)] == [
        ("checks.claims-hold.parameters.most", "2", None),
        ("checks.claims-hold.severity", "low", None),
    ]


def test_variables_that_are_not_set_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """The usual ones are not missed."""
    monkeypatch.delenv("TMPDIR", raising=False)
    monkeypatch.setenv("GIVEN", "1")
    assert list_unset(Check(run=("true",))) == ()
    assert list_unset(Check(run=("true",), environment=("PATH", "TMPDIR", "GIVEN", "HF_NONE"))) == ("HF_NONE",)


RECORD = ReviewRecord(handoff=HANDOFF, phase=PHASE, attempt=1, subject=FIRST_VERSION_SUBJECT)


@dataclass(frozen=True)
class Told(EntryEvidence):
    """Evidence by hand: the outcome of the check and what it found."""

    outcome: str | None = None
    found: dict[str, str] = field(default_factory=dict)
    has_record: bool = True

    @property
    def record(self) -> ReviewRecord | None:
        return RECORD if self.has_record else None

    def find_outcome(self, check: str) -> str | None:
        return self.outcome if check == "a" else None

    def find_findings(self, check: str) -> dict[str, str]:
        return self.found if check == "a" else {}


def tell(number: int, verb: str | None, outcome: str | None, *found: str, attempt: int = 1) -> Told:
    entry = build_entry(number, "alice" if verb else "claude", attempt, verb)
    assert entry.work is not None
    one = DecisionEntry(entry, entry.work, entry.decision) if entry.decision else SubmissionEntry(entry, entry.work)
    return Told(None, one, outcome, {word: f"found {word}" for word in found})  # type: ignore[arg-type]


def fail(*found: str, message: str = "") -> CheckResult:
    findings = tuple(Finding(message=message or f"found {word}", fingerprint=word) for word in found)
    return CheckResult(
        id="a", outcome=Outcome.FAIL, severity=Severity.HIGH, blocking=True, summary="", findings=findings
    )


def test_same_finding_that_came_right_names_the_entry_that_shows_it() -> None:
    """The first later one at the same gate that is free of it."""
    evidence = (
        tell(3, "approve", "pass", attempt=3),
        tell(2, None, "fail", "y", attempt=2),
        tell(1, "reject", "fail", "x", "y"),
    )
    [first, second] = failure.find_earlier(fail("x"), evidence, HANDOFF)
    assert (first.match, first.shared, first.end, first.ended_attempt) == (
        EarlierMatch.SAME_FINDING,
        1,
        EarlierEnd.PASSED,
        2,
    )
    assert (first.messages, first.ended_words[:9]) == (("found x",), "submit by")
    assert (second.match, second.end, second.ended_attempt) == (EarlierMatch.SAME_CHECK, EarlierEnd.PASSED, 3)


@pytest.mark.parametrize(
    ("later", "end"),
    [
        ((), EarlierEnd.STILL_OPEN),
        ((("retry", "fail", "x"),), EarlierEnd.STILL_OPEN),
        ((("override", "fail", "x"),), EarlierEnd.OVERRIDDEN),
        ((("approve", None),), EarlierEnd.UNKNOWN),
        ((("hold", "unknown"),), EarlierEnd.STILL_OPEN),
        ((("approve", "not-applicable"),), EarlierEnd.UNKNOWN),
        ((("approve", "pass"),), EarlierEnd.PASSED),
    ],
)
def test_end_of_an_earlier_failure(later: tuple[tuple[str, ...], ...], end: EarlierEnd) -> None:
    """A check without a verdict is no sign that it came right; evidence that is gone says nothing."""
    newer = [tell(number, verb, outcome, *found) for number, (verb, outcome, *found) in enumerate(later, start=2)]
    found = failure.find_earlier(fail("x"), (*reversed(newer), tell(1, "reject", "fail", "x")), HANDOFF)
    assert found[-1].end is end


def test_failures_that_ended_alike_are_told_once() -> None:
    """The newest of them."""
    evidence = tuple(tell(number, "retry", "fail", "x", attempt=number) for number in range(9, 0, -1))
    assert [(one.attempt, one.end) for one in failure.find_earlier(fail("x"), evidence)] == [(9, EarlierEnd.STILL_OPEN)]


def test_other_findings_of_another_handoff_are_not_alike() -> None:
    """Those of a command are: it is about the whole repository."""
    evidence = (tell(1, "reject", "fail", "y"),)
    assert failure.find_earlier(fail("x"), evidence, "H-9") == ()
    assert [one.match for one in failure.find_earlier(fail("x"), evidence, "H-9", is_command=True)] == [
        EarlierMatch.SAME_CHECK
    ]


def test_snapshot_alone_tells_only_of_its_own_handoff() -> None:
    """It is about the whole repository: what it found elsewhere was not met at this gate."""
    alone = replace(tell(1, None, "fail", "x"), has_record=False)
    assert failure.find_earlier(fail("x"), (alone,), "H-9") == ()
    assert [one.match for one in failure.find_earlier(fail("x"), (alone,), HANDOFF)] == [EarlierMatch.SAME_FINDING]
    assert failure.find_earlier(fail("y"), (alone,), HANDOFF) == ()


def test_end_of_an_output_is_the_same_only_if_it_says_the_same() -> None:
    """The fingerprint of every output of a command is one and the same."""
    output = build_fingerprint("a", "", "exit")
    evidence = (tell(1, "reject", "fail", output),)
    other = failure.find_earlier(fail(output, message="other words"), evidence, is_command=True)
    same = failure.find_earlier(fail(output, message=f"found {output} and more"), evidence, is_command=True)
    assert (other[0].match, same[0].match) == (EarlierMatch.SAME_CHECK, EarlierMatch.SAME_FINDING)


def fail_order(
    name: str, outcome: Outcome = Outcome.FAIL, severity: Severity = Severity.HIGH, *, blocking: bool = True
) -> CheckResult:
    return CheckResult(id=name, outcome=outcome, severity=severity, blocking=blocking, summary="")


def order(*results: CheckResult, **needs: tuple[str, ...]) -> list[str]:
    return [one.result.id for one in failure.order_failures(results, needs)]


def test_cause_comes_before_what_it_holds_back() -> None:
    """At any distance, whatever the order and the severities of the results."""
    results = (
        fail_order("a", Outcome.SKIPPED, Severity.CRITICAL),
        fail_order("b", Outcome.SKIPPED, Severity.CRITICAL),
        fail_order("c", severity=Severity.LOW, blocking=False),
    )
    found = failure.order_failures(results, {"a": ("b",), "b": ("c", "passes")})
    assert (found[0].result.id, found[0].holds_back) == ("c", ("a", "b"))
    by_id = {one.result.id: one for one in found}
    assert (by_id["a"].needs, by_id["b"].needs, by_id["b"].holds_back) == (("b",), ("c",), ("a",))


def test_check_that_more_wait_for_comes_first() -> None:
    """Among equals; then the worse, then by name."""
    skipped = Outcome.SKIPPED
    results = (fail_order("a"), fail_order("b"), fail_order("x", skipped), fail_order("y", skipped))
    assert order(*results, x=("b",), y=("b",))[:2] == ["b", "a"]
    assert order(fail_order("b"), fail_order("a"), fail_order("c", severity=Severity.CRITICAL)) == ["c", "a", "b"]


def test_what_blocks_comes_before_what_does_not() -> None:
    """However bad the other is."""
    assert order(
        fail_order("a", severity=Severity.CRITICAL, blocking=False), fail_order("b", severity=Severity.LOW)
    ) == ["b", "a"]


def test_check_that_failed_by_itself_was_not_held_back() -> None:
    """It needs another one that fails, and ran all the same: it comes later, and nobody held it back."""
    found = failure.order_failures((fail_order("a"), fail_order("b")), {"a": ("b",)})
    assert [(one.result.id, one.holds_back) for one in found] == [("b", ()), ("a", ())]


def test_circle_of_needs_has_no_cause_inside() -> None:
    """All of it is listed, and it ends."""
    skipped = Outcome.SKIPPED
    assert order(fail_order("a", skipped), fail_order("b", skipped), fail_order("c"), a=("b",), b=("a",)) == [
        "a",
        "b",
        "c",
    ]
    assert order(fail_order("a", skipped), a=("a",)) == ["a"]


@pytest.mark.parametrize(
    "line",
    [
        "Traceback (most recent call last):",
        "ValueError: bad",
        "E       assert 1 == 2",
        "FAILED tests/test_a.py::test_b",
        "src/a.c:3: error: undefined reference",
        "not ok 3 - adds",
        "bash: foo: command not found",
        "panic: runtime",
        "1 failed, 3 passed, 0 errors",
        "  ✗ adds",
    ],
)
def test_line_that_speaks_of_an_error_is_found(line: str) -> None:
    """In the words of compilers, test runners and shells."""
    assert failure.is_error_line(line)


@pytest.mark.parametrize(
    "line",
    ["0 errors, 0 warnings", "no failures", "Errors: 0", "ok 3 - handles errors", "collected 3 items", "✓ fails well"],
)
def test_line_that_counts_none_is_not(line: str) -> None:
    """Nor one that says that something passed."""
    assert not failure.is_error_line(line)


def test_output_is_folded_around_its_errors() -> None:
    """Errors with what is around them, and the end; every line is there or in a fold."""
    lines = [f"step {number}" for number in range(1, 101)]
    lines[49] = "error: it broke"
    excerpt = failure.fold_output("/log", lines)
    shown = [(line.number, line.folded) for line in excerpt.lines]
    assert shown == [
        (1, 47),
        *((number, 0) for number in range(48, 55)),
        (55, 40),
        *((number, 0) for number in range(95, 101)),
    ]
    assert (excerpt.first_error, excerpt.errors, excerpt.total_lines) == (50, 1, 100)
    assert [line.number for line in excerpt.lines if line.is_error] == [50]


def test_many_errors_show_the_first_ones() -> None:
    """All are counted."""
    lines = [line for _ in range(500) for line in ("error: again", *["x"] * 20)]
    excerpt = failure.fold_output("/log", lines)
    assert excerpt.errors == 500
    assert sum(line.is_error for line in excerpt.lines) == 12
    assert len(excerpt.lines) < 120


def test_excerpt_of_a_file_counts_from_its_beginning(tmp_path: Path) -> None:
    """Of a very long one the end is looked at, and what comes before is a fold."""
    place = tmp_path / "out.log"
    place.write_text("error: early\n" + "x\n" * 20_000 + "error: late\nend\n", encoding="utf-8")
    excerpt = failure.read_excerpt(str(place))
    assert excerpt is not None
    assert (excerpt.total_lines, excerpt.first_error, excerpt.errors) == (20_003, 20_002, 1)
    assert (excerpt.lines[0].number, excerpt.lines[-1].number) == (1, 20_003)


def test_missing_or_empty_output_has_no_excerpt(tmp_path: Path) -> None:
    """It is nothing, and no error."""
    (tmp_path / "empty").touch()
    assert failure.read_excerpt(None) is None
    assert failure.read_excerpt(str(tmp_path / "none")) is None
    assert failure.read_excerpt(str(tmp_path / "empty")) is None


def test_page_begins_with_what_to_look_at_first() -> None:
    """Then that check in full, then the others in a line, then the run of the agent."""
    lines = list_lines(build_failure_page(FAILURE))
    assert lines[0] == "■ blocked  H-3 · build · attempt 2  3/5 passed, 2 checks fail"
    assert lines[1] == "look first at build"
    assert "holds back    tests" in lines
    assert "not set here  TOKEN" in lines
    assert "↷ skipped  tests  it needs build" in lines
    assert "maker, failed, exit code 1, 1m" in lines
    assert "? no earlier run succeeded here to compare it with" in lines


def test_output_is_shown_folded_and_safe() -> None:
    """Errors are marked by a glyph, and no control character reaches the screen."""
    lines = list_lines(build_failed_page(FAILED))
    assert "       ⋯ 10 lines" in lines
    assert any(line.startswith("  11 ✗ error: all ␛[2Jclear") for line in lines)
    assert not any("\x1b" in line or "\u202e" in line for line in lines)
    # the same lines aren't a finding as well
    assert not any("one error:" in line for line in lines)


def test_what_changed_since_it_passed_is_listed() -> None:
    """Which moment, which files, which settings, and how it ended before."""
    page = build_failed_page(FAILED)
    since = find_section(page, "Since it last passed")
    assert since[0] == "commit 5555555, 2026-01-01T00:00:00Z: H-2, attempt 1 (sha256:aaaaaaaaaaaa)"
    assert "    modified    build.sh  named by a finding  declares packages" in since
    assert "    … and 2 more" in since
    assert "    was  not set" in find_section(page, "Command and settings")
    met = find_section(page, "Earlier failures")
    assert met[0].startswith("✓ fixed  H-1 · build · attempt 2, reject by bo")
    assert met[1] == "    shown by attempt 3, approve by cy at 2026-01-02T00:00:00Z, commit 6666666"
    assert "  $ handoff-tui bisect build" in list_lines(page)
    assert "  $ handoff-tui bisect build --handoff H-3" in list_lines(build_failed_page(FAILED, "H-3"))


def test_pass_that_only_this_machine_knows_is_said_to_be_so() -> None:
    """No commit is named that nobody recorded."""
    failed = FAILED.model_copy(update={"last_good": GoodMoment(source="cache", time="2026-01-01T00:00:00+00:00")})
    [first, *_] = find_section(build_failed_page(failed), "Since it last passed")
    assert "on files nobody recorded" in first


def test_search_is_not_offered_where_it_cannot_answer() -> None:
    """What was pushed by then is in no commit."""
    page = build_failed_page(FAILED.model_copy(update={"can_bisect": False}))
    assert not any("bisect" in line or "broke it" in line for line in list_lines(page))


def test_nothing_fails_json() -> None:
    """Then there is no first."""
    value = build_failure_json(FailureReport(blocked=False, passed=2, total=2))
    assert (value["first"], value["failed"]) == (None, [])
