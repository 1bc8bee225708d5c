from __future__ import annotations

from pathlib import Path

import pytest

from handoff_tui.agents.runs.files import write_json
from handoff_tui.agents.runs.folders import find_run, write_run
from handoff_tui.agents.runs.reports import write_report
from handoff_tui.agents.runs.run import RunEnd, RunEnding, RunKey, RunPlan
from handoff_tui.agents.step.report import StepOutcome
from handoff_tui.checks.result import Outcome
from handoff_tui.core.errors import UsageError
from handoff_tui.history.failure.failure import read_failure
from handoff_tui.history.failure.report import EarlierEnd, FailureReport
from tests.support.attempts import HANDOFF, AttemptStory, build_shown
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
    """The build passed when alice let it pass; since then its script fails. The commands are the user's own."""
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
    return read_failure(desk, log, wanted, only=only)


def test_cause_is_found_with_its_output_and_what_changed(story: AttemptStory) -> None:
    """The check that others wait for, the line that speaks of the error, the file that changed, how it ended before."""
    report = read(story, HANDOFF)
    first = report.first
    assert first is not None
    assert (report.blocked, report.handoff, report.phase) == (True, HANDOFF, "review")
    assert (first.result.id, first.holds_back, first.command) == ("build", ("deploy", "tests"), "sh build.sh")
    assert first.output is not None
    assert (first.output.first_error, first.output.total_lines) == (2, 2)
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
    """One without a handoff, and one that nothing tells of; before any check runs."""
    desk, log = story.open()
    with pytest.raises(UsageError, match="none is named"):
        read_failure(desk, log, None, "review")
    with pytest.raises(UsageError, match="'nope'"):
        read_failure(desk, log, HANDOFF, "nope")


def test_last_run_that_failed_is_told_beside_one_that_came_through(story: AttemptStory) -> None:
    """How it was started differently, and what it printed."""
    desk, _ = story.open()
    common = desk.repository.common_dir
    for number, argv, code in ((1, ("maker", "--slow"), 0), (2, ("maker", "--fast"), 1)):
        key = RunKey(handoff=HANDOFF, phase="review", number=number)
        plan = RunPlan(key=key, argv=argv, folder="/w", timeout_seconds=5, agent="maker")
        handle = write_run(common, plan, {"output.log": b"working\nfatal: no\n"})
        end = RunEnd(ending=RunEnding.EXITED, code=code, began=float(number), seconds=1.0)
        write_json(handle.folder / "exit.json", end.model_dump(mode="json"))
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
