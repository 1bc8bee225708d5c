from __future__ import annotations

from pathlib import Path

import pytest

from handoff_tui.agents.runs.reports import write_report
from handoff_tui.agents.runs.run import RunEnd, RunEnding, RunKey, RunPlan, RunState, RunStatus
from handoff_tui.changes.comparison.snapshot_diff import Change
from handoff_tui.handoffs.handoff import Handoff
from handoff_tui.handoffs.session import Desk, open_desk
from handoff_tui.history.attempts.content import AttemptContent
from handoff_tui.history.attempts.measure import (
    compare_checks,
    compare_outcomes,
    compare_tests,
    find_first_head,
    find_places,
    read_attempt_run,
    read_work_since,
)
from handoff_tui.history.attempts.report import CommitPlace
from tests.support.repositories import RepositoryBuilder
from tests.support.snapshots import build_snapshot
from tests.support.step_reports import build_report

PLAIN = Handoff(id="H-1", dialect="notes")


@pytest.fixture(scope="module")
def branched(tmp_path_factory: pytest.TempPathFactory) -> tuple[Desk, dict[str, str]]:
    """Two commits on main, and one aside; the second on main brings only what lies in our own folder."""
    builder = RepositoryBuilder.init(tmp_path_factory.mktemp("branched"))
    builder.write("a.py", "1\n").commit("first")
    first = builder.head()
    builder.write(".handoff-tui/log/x", "entry\n").commit("the log")
    builder.write("a.py", "2\n").commit("second")
    second = builder.head()
    builder.git("checkout", "--quiet", "-b", "aside", first)
    builder.write("a.py", "3\n").commit("aside")
    aside = builder.head()
    builder.git("checkout", "--quiet", "main")
    return open_desk(builder.folder), {"first": first, "second": second, "aside": aside}


def test_places_of_commits_are_told_apart(branched: tuple[Desk, dict[str, str]]) -> None:
    """Behind HEAD, aside, or not here."""
    desk, ids = branched
    found = find_places(desk, [ids["first"], ids["aside"], "0" * 40])
    assert list(found.values()) == [CommitPlace.BEHIND, CommitPlace.ASIDE, CommitPlace.MISSING]


def test_places_before_the_first_commit(builder: RepositoryBuilder) -> None:
    """Nothing is behind a branch that is not born."""
    assert find_places(open_desk(builder.folder), ["0" * 40]) == {"0" * 40: CommitPlace.MISSING}


def test_work_since_leaves_out_commits_of_the_log(branched: tuple[Desk, dict[str, str]]) -> None:
    """A commit that only brings entries is no work."""
    desk, ids = branched
    commits, why = read_work_since(desk, ids["first"], ids["second"])
    assert ([commit.subject for commit in commits or ()], why) == (["second"], "")


def test_work_since_a_rewritten_commit_says_so(branched: tuple[Desk, dict[str, str]]) -> None:
    """The commits are told, and that they may be told twice."""
    desk, ids = branched
    commits, why = read_work_since(desk, ids["aside"], ids["second"])
    assert [commit.subject for commit in commits or ()] == ["second"]
    assert "rewritten" in why


@pytest.mark.parametrize(
    ("base", "head", "words"),
    [("0" * 40, "second", "is not here"), (None, "second", "not recorded"), ("first", None, "")],
)
def test_work_that_cannot_be_told_is_nothing(
    branched: tuple[Desk, dict[str, str]], base: str | None, head: str | None, words: str
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
    assert [(item.change, item.after) for item in found.items] == [(Change.NEWLY_FAILING, "error")]
    section = compare_checks(stored, both)
    assert section is not None
    assert section.items == ()


def test_outcomes_are_compared_in_the_usual_words() -> None:
    """A check that crashed and passes now is fixed; one that has no result any more is newly skipped."""
    section = compare_outcomes({"a": "error", "b": "pass", "c": "pass"}, {"a": "pass", "b": "unknown", "d": "pass"})
    assert {item.id: item.change for item in section.items} == {
        "a": Change.FIXED,
        "b": Change.NEWLY_SKIPPED,
        "c": Change.REMOVED,
        "d": Change.NEW,
    }


def test_tests_are_compared_where_both_have_a_snapshot(branched: tuple[Desk, dict[str, str]]) -> None:
    """Without reports on both sides there is nothing to compare, and that is said."""
    desk, _ = branched
    reviewed = (PLAIN, (PLAIN,))
    none, some, empty = (
        AttemptContent("H-1:build:1"),
        AttemptContent("H-1:build:2", snapshot=build_snapshot(tests={"test_a": "pass"})),
        AttemptContent("H-1:build:3", snapshot=build_snapshot()),
    )
    assert compare_tests(desk, reviewed, none, some) == (None, ())
    assert compare_tests(desk, reviewed, empty, empty)[1] == (
        "no test report was read, neither in attempt 3 nor in attempt 3",
    )
    section, notes = compare_tests(desk, reviewed, some, empty)
    assert section is not None
    assert [item.change for item in section.items] == [Change.VANISHED]
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
