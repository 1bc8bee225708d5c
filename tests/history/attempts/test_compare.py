from __future__ import annotations

from pathlib import Path

import pytest

from handoff_tui.agents.runs.files import write_json
from handoff_tui.agents.runs.folders import write_run
from handoff_tui.agents.runs.run import RunEnd, RunEnding, RunKey, RunPlan
from handoff_tui.changes.comparison.snapshot_diff import Change
from handoff_tui.core.errors import UsageError
from handoff_tui.decisions.examine import look_at_gate
from handoff_tui.history.attempts.attempts import read_history
from handoff_tui.history.attempts.compare import AttemptName, compare_attempts, compare_runs, parse_attempt_name
from handoff_tui.history.attempts.report import AttemptComparison, AttemptOutcome, AttemptRun
from handoff_tui.log.review_record import Comment
from tests.support.attempts import HANDOFF, PHASE, AttemptStory, build_shown, tell_story


@pytest.fixture(scope="module")
def story(tmp_path_factory: pytest.TempPathFactory) -> AttemptStory:
    return tell_story(tmp_path_factory.mktemp("compared"))


def compare(story: AttemptStory, first: str, second: str) -> AttemptComparison:
    desk, log = story.open()
    return compare_attempts(desk, log, first, second)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("H-3:2", AttemptName("H-3", None, 2)),
        ("H-3:build:2", AttemptName("H-3", "build", 2)),
        ("notes/HANDOFF.md:now", AttemptName("notes/HANDOFF.md", None, None)),
        ("2", AttemptName(None, None, 2)),
        ("now", AttemptName(None, None, None)),
    ],
)
def test_name_of_an_attempt_is_read(text: str, name: AttemptName) -> None:
    """Handoff, phase and number; the first two may be left out."""
    assert parse_attempt_name(text) == name


@pytest.mark.parametrize("text", ["", "H-3", "H-3:", "H-3:two", "H-3:-1", "H-3:1234567890"])
def test_name_of_no_attempt_is_refused(text: str) -> None:
    """With the form that is expected."""
    with pytest.raises(UsageError) as refused:
        parse_attempt_name(text)
    assert "ID:NUMBER" in refused.value.hint


def test_two_attempts_are_compared(story: AttemptStory) -> None:
    """Checks, tests, files, commits, and what the first was asked for measured on the second."""
    found = compare(story, f"{HANDOFF}:1", "2")
    assert (found.before.outcome, found.after.outcome) == (AttemptOutcome.REJECTED, AttemptOutcome.RETRY)
    assert found.check_changes is not None
    assert {item.id: item.change for item in found.check_changes.items}["claims-hold"] is Change.FIXED
    assert found.record is not None
    assert {item.id for item in found.record.tests.items} == {"test_b", "test_c", "test_d"}
    assert [file.change.path for file in found.files or ()] == ["docs/tests.md", "src/app.py"]
    assert len(found.commits or ()) == 2
    assert [point.addressed for point in found.asked] == [None, True, False, True, False, None]
    assert (found.run_changes, found.before.asked) == (None, ())


def test_attempts_are_compared_backwards_too(story: AttemptStory) -> None:
    """Nothing is behind the first that is not behind the second; that history runs the other way is said."""
    found = compare(story, f"{HANDOFF}:review:2", f"{HANDOFF}:1")
    assert found.commits == ()
    assert any("rewritten" in note for note in found.notes)


def test_attempt_is_compared_with_now(story: AttemptStory) -> None:
    """Without a command being started."""
    found = compare(story, f"{HANDOFF}:1", "now")
    assert (found.after.outcome, found.after.number) == (AttemptOutcome.OPEN, 3)
    assert len(found.commits or ()) == 3


def test_now_is_the_same_as_in_the_history(tmp_path: Path) -> None:
    """Who made it, how long that ran, and which run it was."""
    story = tell_story(tmp_path)
    desk, log = story.open()
    key = RunKey(handoff=HANDOFF, phase=PHASE, attempt=3)
    plan = RunPlan(key=key, argv=("maker",), folder="/w", timeout_seconds=5, agent="maker")
    handle = write_run(desk.repository.common_dir, plan, {"output.log": b"working\n"})
    end = RunEnd(ending=RunEnding.EXITED, code=0, began=1.0, seconds=75.0)
    write_json(handle.folder / "exit.json", end.model_dump(mode="json"))
    compared = compare(story, f"{HANDOFF}:1", "now").after
    listed = read_history(desk, log, HANDOFF, now=look_at_gate(desk, log, HANDOFF)).attempts[-1]
    assert (listed.name, listed.ran_seconds, [run.agent for run in listed.runs]) == (compared.name, 75.0, ["maker"])
    assert (compared.producers, compared.ran_seconds, compared.runs) == (listed.producers, 75.0, listed.runs)


def test_check_of_another_handoff_answers_nothing(tmp_path: Path) -> None:
    """It passes there for what it says of that one; the same lines of a file are the same lines."""
    story = AttemptStory(tmp_path)
    remark = Comment(text="why?", path="src/app.py", line=2)
    story.decide("reject", 1, build_shown("claims-hold", "fail"), comments=(remark,))
    story.work("# other\n")
    story.decide("approve", 1, build_shown("claims-hold", "pass"), handoff="H-7")
    points = compare(story, f"{HANDOFF}:1", f"H-7:{PHASE}:1").asked
    assert [(point.subject, point.addressed) for point in points[1:]] == [("claims-hold", None), ("src/app.py:2", True)]
    assert "another handoff" in points[1].evidence


def test_unknown_attempt_is_refused(story: AttemptStory) -> None:
    """With those that are known; so is a first one that names no handoff."""
    with pytest.raises(UsageError) as refused:
        compare(story, f"{HANDOFF}:1", "7")
    assert "1, 2" in refused.value.hint
    with pytest.raises(UsageError):
        compare(story, "1", "2")


def test_runs_are_compared_by_how_they_were_started() -> None:
    """Only what differs, the folder of the run apart; nothing where one side has no run."""
    before = AttemptRun(
        step="agent",
        number=1,
        agent="maker",
        status="ready",
        argv=("sh", "a", "/runs/t1/prompt.md"),
        environment=("PATH",),
        output="/runs/t1/output.log",
    )
    other = {"argv": ("sh", "a", "/runs/t2/prompt.md"), "output": "/runs/t2/output.log"}
    assert compare_runs(before, before.model_copy(update=other)) == ()
    after = before.model_copy(update={**other, "argv": ("sh", "b"), "environment": (), "timeout_seconds": 5.0})
    assert compare_runs(None, after) is None
    assert [(one.what, one.before, one.after) for one in compare_runs(before, after) or ()] == [
        ("command", "sh a {run}/prompt.md", "sh b"),
        ("time limit", "", "5 s"),
        ("variables it was given", "PATH", ""),
    ]
