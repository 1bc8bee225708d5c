from __future__ import annotations

from pathlib import Path

import pytest

from handoff_tui.agents.runs.reports import write_report
from handoff_tui.agents.runs.run import RunEnd, RunEnding, RunKey, RunPlan, RunState, RunStatus
from handoff_tui.changes.comparison.snapshot_diff import ItemChange
from handoff_tui.handoffs.handoff import Handoff
from handoff_tui.handoffs.session import Session, open_session
from handoff_tui.history.attempts.attempt import (
    compare_checks,
    compare_tests,
    find_first_head,
    find_places,
    has_lost_record,
    judge_check,
    read_attempt_run,
    read_points,
    read_work_since,
)
from handoff_tui.history.attempts.report import CommitPlace, RequestedPoint
from handoff_tui.history.attempts.sources import AttemptContent, group_attempts, read_content
from handoff_tui.log.index import build_log_index
from handoff_tui.log.review_record import Comment
from tests.support.attempts import CODE, HANDOFF, PHASE, AttemptStory
from tests.support.repositories import RepositoryBuilder
from tests.support.snapshots import build_snapshot
from tests.support.step_reports import build_report

PLAIN = Handoff(id="H-1", dialect="notes")


@pytest.fixture(scope="module")
def branched(tmp_path_factory: pytest.TempPathFactory) -> tuple[Session, dict[str, str]]:
    """Two commits on main, and one aside; the second on main brings only what lies in our own folder."""
    builder = RepositoryBuilder.init(tmp_path_factory.mktemp("branched"))
    builder.write("a.py", "1\n").commit("first")
    first = builder.head()
    builder.write(".handoff-tui/trust/policy.toml", "entry\n").commit("the log")
    builder.write("a.py", "2\n").commit("second")
    second = builder.head()
    builder.git("checkout", "--quiet", "-b", "aside", first)
    builder.write("a.py", "3\n").commit("aside")
    aside = builder.head()
    builder.git("checkout", "--quiet", "main")
    return open_session(builder.folder), {"first": first, "second": second, "aside": aside}


def test_places_of_commits_are_told_apart(branched: tuple[Session, dict[str, str]]) -> None:
    """Behind HEAD, aside, or not here."""
    desk, ids = branched
    found = find_places(desk, [ids["first"], ids["aside"], "0" * 40])
    assert list(found.values()) == [CommitPlace.BEHIND, CommitPlace.ASIDE, CommitPlace.MISSING]


def test_work_since_leaves_out_commits_of_the_log(branched: tuple[Session, dict[str, str]]) -> None:
    """A commit that only brings entries isn't work."""
    desk, ids = branched
    commits, why = read_work_since(desk, ids["first"], ids["second"])
    assert ([commit.subject for commit in commits or ()], why) == (["second"], "")


def test_work_since_a_rewritten_commit_says_so(branched: tuple[Session, dict[str, str]]) -> None:
    """The commits are told, and that they may be told twice."""
    desk, ids = branched
    commits, why = read_work_since(desk, ids["aside"], ids["second"])
    assert [commit.subject for commit in commits or ()] == ["second"]
    assert "rewritten" in why


@pytest.mark.parametrize(
    ("base", "head", "words"),
    [("0" * 40, "second", "isn't here"), (None, "second", "isn't recorded"), ("first", None, "")],
)
def test_work_that_cannot_be_told_is_nothing(
    branched: tuple[Session, dict[str, str]], base: str | None, head: str | None, words: str
) -> None:
    """Never an empty list, which would say that nothing was done."""
    desk, ids = branched
    commits, why = read_work_since(desk, ids.get(base or "", base), ids.get(head or "", head))
    assert commits is None
    assert words in why


def test_checks_of_one_kind_are_compared() -> None:
    """Results of the gate with results of the gate, else those of the repository; never one with the other."""
    shown = AttemptContent("H-1:build:1", shown={"a": "pass"})
    stored = AttemptContent("H-1:build:2", snapshot=build_snapshot(checks={"a": "fail"}))
    both = AttemptContent("H-1:build:3", snapshot=build_snapshot(checks={"a": "fail"}), shown={"a": "error"})
    assert compare_checks(shown, stored) is None
    found = compare_checks(shown, both)
    assert found is not None
    assert [(item.change, item.after) for item in found.items] == [(ItemChange.NEWLY_FAILING, "error")]
    section = compare_checks(stored, both)
    assert section is not None
    assert section.items == ()


def test_tests_are_compared_where_both_have_a_snapshot(branched: tuple[Session, dict[str, str]]) -> None:
    """Without reports on both sides there is nothing to compare, and that is said."""
    desk, _ = branched
    reviewed = (PLAIN, (PLAIN,))
    none, some, empty = (
        AttemptContent("H-1:build:1"),
        AttemptContent("H-1:build:2", snapshot=build_snapshot(tests={"test_a": "pass"})),
        AttemptContent("H-1:build:3", snapshot=build_snapshot()),
    )
    assert compare_tests(desk, reviewed, none, some) == (None, ())
    assert compare_tests(desk, reviewed, empty, empty)[1] == ("no test report in attempt 3 or attempt 3",)
    section, notes = compare_tests(desk, reviewed, some, empty)
    assert section is not None
    assert [item.change for item in section.items] == [ItemChange.VANISHED]
    assert any("no test report was read here" in note for note in notes)


def test_run_is_told_by_its_files(tmp_path: Path) -> None:
    """How it was started and ended, and the last lines that it printed."""
    (tmp_path / "output.log").write_text("".join(f"line {number}\n" for number in range(30)), encoding="utf-8")
    key = RunKey(handoff="H-1", phase="build")
    state = RunState(
        key=key,
        folder=str(tmp_path),
        status=RunStatus.FINISHED,
        plan=RunPlan(key=key, argv=("sh", "x"), folder="/w", timeout_seconds=5, agent="maker", environment=("PATH",)),
        end=RunEnd(ending=RunEnding.TIMED_OUT, began=1.0, seconds=5.0),
        elapsed=5.0,
    )
    assert find_first_head((state,)) is None
    write_report(state, build_report().model_copy(update={"head_before": "7" * 40}))
    assert find_first_head((state,)) == "7" * 40
    (tmp_path / "report.json").unlink()
    run = read_attempt_run(state)
    assert (run.agent, run.status, run.seconds, run.argv) == ("maker", "timed-out", 5.0, ("sh", "x"))
    assert (run.tail[0], run.tail[-1], len(run.tail)) == ("line 18", "line 29", 12)
    assert read_attempt_run(state, tail_lines=0).tail == ()
    prepared = RunState(key=key, folder=str(tmp_path / "none"), status=RunStatus.PREPARED)
    assert (read_attempt_run(prepared).status, read_attempt_run(prepared).seconds) == ("prepared", None)


LINES = "".join(f"line {number}\n" for number in range(1, 13))

LOOK = "check whether that answers it"


@pytest.mark.parametrize(
    ("shown", "addressed", "evidence"),
    [
        ({"a": "pass"}, True, "it passes in attempt 2"),
        ({"a": "not-applicable"}, True, "it no longer applies in attempt 2"),
        ({"a": "fail"}, False, "it doesn't pass in attempt 2 either: fail"),
        ({"a": "timeout"}, False, "it doesn't pass in attempt 2 either: timeout"),
        ({"a": "unknown"}, None, "no result in attempt 2: unknown"),
        ({"a": "skipped"}, None, "no result in attempt 2: skipped"),
        ({"b": "pass"}, None, "it wasn't among the checks of attempt 2"),
        (None, None, "the results of attempt 2 aren't here"),
    ],
)
def test_check_is_judged_by_the_later_result(
    *, shown: dict[str, str] | None, addressed: bool | None, evidence: str
) -> None:
    """What has no result is not measured; it is neither addressed nor not."""
    assert judge_check("a", AttemptContent("H-1:build:2", shown=shown)) == (addressed, evidence)


@pytest.fixture(scope="module")
def story(tmp_path_factory: pytest.TempPathFactory) -> AttemptStory:
    story = AttemptStory(tmp_path_factory.mktemp("points"))
    story.builder.write("large.bin", b"x" * (4 * 1024 * 1024 + 1)).write("gone.py", "1\n").write("old.py", LINES)
    story.builder.write("one.py", "1 and 2\n3 and 4\n").write("link.py", "5\n").write("spaced.py", "if a:\n    b\n")
    story.builder.commit("more")
    story.decide(
        "reject",
        1,
        comments=(
            Comment(text="moved", path="src/app.py", line=2),
            Comment(text="gone", path="gone.py"),
            Comment(text="renamed", path="old.py", line=2, end_line=3),
            Comment(text="renamed and changed", path="old.py", line=8),
            Comment(text="only renamed", path="one.py"),
            Comment(text="a link now", path="link.py"),
            Comment(text="spaced", path="spaced.py", line=1),
            Comment(text="never there", path="none.py"),
            Comment(text="too large", path="large.bin"),
            Comment(text="the whole"),
        ),
    )
    for name in ("gone.py", "old.py", "one.py", "link.py"):
        story.builder.place(name).unlink()
    story.builder.write("new.py", LINES.replace("line 8\n", "other\n")).write("two.py", "1 and 2\n3 and 4\n")
    story.builder.place("link.py").symlink_to("new.py")
    story.builder.write("spaced.py", "if  a:\n    b\n")
    story.work("# moved down\n" + CODE)
    story.builder.commit("without the file")
    story.decide("approve", 2)
    return story


def measure(story: AttemptStory, later_tree: str | None = "") -> list[RequestedPoint]:
    desk, log = story.open()
    index = build_log_index(log.verify())
    first, second = group_attempts(index, Handoff(id=HANDOFF, dialect="notes"), PHASE)
    asked = read_content(desk, "H-1:build:1", first)
    later = read_content(desk, "H-1:build:2", second)
    if later_tree is None:
        later = AttemptContent("H-1:build:2", shown={})
    return list(read_points(desk, first, asked, later, {}))


def test_remarks_are_judged_by_what_they_are_about(story: AttemptStory) -> None:
    """Lines that moved, in their file or with it, are the same; what is gone or too large is not measured."""
    _, *remarks = measure(story)
    assert [(point.text, point.addressed, point.evidence) for point in remarks] == [
        ("moved", False, "what it is about is the same in attempt 2"),
        ("gone", None, "the file is gone from attempt 2: check whether that answers it"),
        ("renamed", False, "what it is about is the same in attempt 2, where the file is new.py"),
        ("renamed and changed", True, "what it is about changed in attempt 2, where the file is new.py"),
        ("only renamed", None, "only its name changed in attempt 2, where the file is two.py: " + LOOK),
        ("a link now", None, "it is a different kind of file in attempt 2: " + LOOK),
        ("spaced", False, "only white space in what it is about changed in attempt 2"),
        ("never there", None, "the file wasn't there when the comment was made"),
        ("too large", None, "the file is too large to compare, or this clone lacks its content"),
        ("the whole", None, "it is about the work as a whole, which isn't measured"),
    ]


def test_remarks_are_not_measured_where_files_are_missing(story: AttemptStory) -> None:
    """It is said whose files."""
    _, remark, *_ = measure(story, later_tree=None)
    assert (remark.addressed, remark.evidence) == (None, "the files of attempt 2 aren't here")


def test_lost_record_is_noticed(tmp_path: Path) -> None:
    """Only of a decision that asks for something."""
    story = AttemptStory(tmp_path)
    story.decide("reject", 1)
    story.decide("approve", 2)
    desk, log = story.open()
    for place in (story.root / ".handoff-tui" / "reviews").iterdir():
        place.unlink()
    asking, passing = group_attempts(build_log_index(log.verify()), Handoff(id=HANDOFF, dialect="notes"), PHASE)
    assert (has_lost_record(desk, asking), has_lost_record(desk, passing)) == (True, False)
