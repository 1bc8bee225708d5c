from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from handoff_tui.agents.runs.folders import write_run, write_value
from handoff_tui.agents.runs.run import RunEnd, RunEnding, RunKey, RunPlan, RunState, RunStatus
from handoff_tui.changes.comparison.snapshot_diff import ComparedSection, ItemChange
from handoff_tui.changes.snapshots.snapshot import TestOutcome
from handoff_tui.core.errors import HandoffNotFoundError, UsageError
from handoff_tui.core.tasks import Attempt
from handoff_tui.decisions.examine import WITHOUT_COMMANDS, examine
from handoff_tui.decisions.threads import build_thread_id
from handoff_tui.handoffs.handoff import Handoff
from handoff_tui.handoffs.session import open_session
from handoff_tui.history.attempts import report
from handoff_tui.history.attempts.attempt import build_attempt
from handoff_tui.history.attempts.attempts import (
    AttemptName,
    compare_attempts,
    compare_runs,
    diff_attempts,
    find_known_phase,
    list_histories,
    list_known_phases,
    parse_attempt_name,
    read_history,
)
from handoff_tui.history.attempts.page import describe_asked
from handoff_tui.history.attempts.sources import (
    AttemptContent,
    AttemptSources,
    group_attempts,
    read_content,
)
from handoff_tui.log.index import build_log_index
from handoff_tui.log.open_log import open_log
from handoff_tui.log.review_record import Comment
from tests.support.attempts import HANDOFF, PHASE, AttemptStory, build_entry, build_index, build_shown, tell_story
from tests.support.gates import CODE, GateDesk
from tests.support.repositories import RepositoryBuilder
from tests.support.signed import Person
from tests.support.snapshots import build_snapshot


@pytest.fixture(scope="module")
def story(tmp_path_factory: pytest.TempPathFactory) -> AttemptStory:
    return tell_story(tmp_path_factory.mktemp("attempts"))


def read(story: AttemptStory, *, now: bool = False, measured: int | None = 20) -> report.AttemptHistory:
    desk, log = story.open()
    looked = examine(desk, log, HANDOFF, options=WITHOUT_COMMANDS) if now else None
    return read_history(desk, log, HANDOFF, measured=measured, now=looked)


def list_changes(section: ComparedSection | None) -> dict[str, ItemChange]:
    assert section is not None
    return {item.id: item.change for item in section.items}


def test_attempts_of_the_log_stand_side_by_side(story: AttemptStory) -> None:
    """Who, how long, which commits, which checks flipped, which tests are new, fixed and gone."""
    history = read(story)
    assert (history.handoff, history.phase, history.fatal) == (HANDOFF, PHASE, False)
    first, second = history.attempts
    assert (first.outcome, second.outcome) == (report.AttemptOutcome.REJECTED, report.AttemptOutcome.RETRY)
    assert (first.name, second.name) == (f"{HANDOFF}:review:1", f"{HANDOFF}:review:2")
    assert (second.worked_seconds, second.waited_seconds, first.worked_seconds) == (9_000, 1_800, None)
    assert [commit.subject for commit in second.commits or ()] == ["say what was tested, elsewhere", "turn it round"]
    base = f"its baseline, {story.base[:7]}"
    assert (first.commits_since, second.commits_since) == (base, "attempt 1")
    assert list_changes(second.check_changes) == {
        "claims-hold": ItemChange.FIXED,
        "problems-absent": ItemChange.NEWLY_FAILING,
        "tests": ItemChange.CHANGED,
    }
    assert list_changes(second.test_changes) == {
        "test_b": ItemChange.FIXED,
        "test_c": ItemChange.VANISHED,
        "test_d": ItemChange.NEW,
    }
    assert second.tests is not None
    assert (second.tests.passed, second.tests.total) == (3, 3)
    assert (second.checks_passed, second.checks_total, second.failing) == (1, 3, ("problems-absent", "tests"))
    assert {first.commit_place, second.commit_place} == {report.CommitPlace.BEHIND}


def test_points_of_a_rejection_are_measured_on_the_next_attempt(story: AttemptStory) -> None:
    """A check that passes and a line that changed are addressed; a check in error and an untouched file are not."""
    first, second = read(story).attempts
    assert first.asked_against == second.name
    assert [(point.subject, point.addressed) for point in first.asked] == [
        ("", None),
        ("claims-hold", True),
        ("tests", False),
        ("src/app.py:2", True),
        ("HANDOFF.md", False),
        ("", None),
    ]
    assert first.asked[2].evidence == "it doesn't pass in attempt 2 either: error"
    assert {point.evidence for point in second.asked if point.subject} == {"no attempt followed yet"}


def test_work_that_no_entry_knows_is_the_last_attempt(story: AttemptStory) -> None:
    """It has the number that a decision would give it, and what was asked for last is measured on it."""
    *_, second, now = read(story, now=True).attempts
    assert (now.outcome, now.number, now.name) == (report.AttemptOutcome.OPEN, 3, f"{HANDOFF}:review:now")
    assert [commit.subject for commit in now.commits or ()] == ["start again"]
    assert second.asked_against == now.name
    # nobody has configured a check "tests" here
    assert [point.evidence for point in second.asked if point.subject == "tests"] == [
        "it wasn't among the checks of what is here now"
    ]


def look(desk: GateDesk) -> report.AttemptHistory:
    opened = open_session(desk.root)
    log = open_log(opened.repository)
    return read_history(opened, log, HANDOFF, now=examine(opened, log, HANDOFF, options=WITHOUT_COMMANDS))


@pytest.mark.parametrize("way", ["commit", "submit"])
def test_what_a_rejection_asked_for_is_measured_as_soon_as_the_agent_is_back(gate_desk: GateDesk, way: str) -> None:
    """Not only once somebody decides again; every place counts the attempt the same."""
    bo, robot = gate_desk.person("bo"), gate_desk.person("robot")
    gate_desk.begin(bo, agents=[robot])
    gate_desk.builder.write("HANDOFF.md", "# Handoff\n\nStatus: COMPLETE\n\nCreated `src/gone.py`.\n").commit("claims")
    assert gate_desk.decide(bo, "reject", "--reason", "where is it?").code == 0
    [rejected] = look(gate_desk).attempts
    assert [point.addressed for point in rejected.asked] == [None, None]
    gate_desk.builder.write("src/gone.py", "here = 1\n")
    gate_desk.builder.write("HANDOFF.md", "# Handoff\n\nStatus: COMPLETE\n\nCreated `src/gone.py`. Sorry.\n")
    if way == "commit":
        gate_desk.builder.commit("mended")
    else:
        said = gate_desk.speaking(robot, "submit", HANDOFF, "--repo", gate_desk.root, "--sign")
        assert said.code == 0, said.stderr
    first, second = look(gate_desk).attempts
    assert [(point.subject, point.addressed) for point in first.asked] == [("", None), ("claims-hold", True)]
    assert (first.number, second.number, gate_desk.gate(bo).json["attempt"]) == (1, 2, 2)
    opened = open_session(gate_desk.root)
    [row] = list_histories(opened, open_log(opened.repository)).rows
    assert row.attempts == 2
    compared = compare_attempts(opened, open_log(opened.repository), f"{HANDOFF}:1", "2")
    assert (compared.after.number, [point.addressed for point in compared.asked]) == (2, [None, True])


def test_two_attempts_are_compared_by_the_own_files_and_a_settled_comment_is_addressed(
    gate_desk: GateDesk, bo: Person
) -> None:
    """What others did in between is left out, and said; a reply asks for nothing new."""
    comments = gate_desk.folder / "comments.txt"
    comments.write_text("src/app.py:2: name it\n\nsrc/app.py:6: and this\n")
    gate_desk.decide(bo, "reject", "--reason", "no", "--comments", comments)
    gate_desk.builder.write("elsewhere.py", "theirs = 1\n").commit("work of others")
    gate_desk.builder.write("src/app.py", CODE.replace("a - b", "a - int(b)")).commit("again\n\nHandoff: HANDOFF.md")
    [asked] = build_log_index(open_log(open_session(gate_desk.root).repository).verify()).decisions
    first, second = (build_thread_id(asked, number) for number in (1, 2))
    comments.write_text(f"@{first} resolved\n\n@{second}: thanks\n")
    assert gate_desk.decide(bo, "reject", "--reason", "no", "--comments", comments).code == 0
    gate_desk.builder.write("src/app.py", "pass\n").commit("once more\n\nHandoff: HANDOFF.md")
    opened = open_session(gate_desk.root)
    log = open_log(opened.repository)
    attempts = look(gate_desk).attempts
    assert [(point.text, point.addressed) for point in attempts[0].asked] == [
        ("no", None), ("name it", True), ("and this", True),
    ]  # fmt: skip
    assert [point.text for point in attempts[1].asked] == ["no"]
    assert describe_asked(attempts[0]) == "2 of 2 addressed"
    found = diff_attempts(opened, log, attempts[0].name, attempts[1].name)
    assert found.files is not None
    assert [change.path for change in found.files.listed.changes] == ["src/app.py"]
    assert found.notes == ("left out: 1 other file that changed in between",)
    compared = compare_attempts(opened, log, attempts[0].name, attempts[1].name)
    assert [file.change.path for file in compared.files or ()] == ["src/app.py"]


def test_work_of_others_is_no_attempt(gate_desk: GateDesk, bo: Person) -> None:
    """Nor does it make a decided attempt look as if there were newer work."""
    gate_desk.decide(bo, "reject", "--reason", "no")
    gate_desk.change(path="elsewhere.py")
    assert [attempt.name for attempt in look(gate_desk).attempts] == [f"{HANDOFF}:review:1"]


def test_only_the_newest_are_measured_where_a_number_is_given(story: AttemptStory) -> None:
    """Of the others the log is told, and nothing is looked into."""
    first, second = read(story, measured=1).attempts
    assert (first.measured, first.asked, first.check_changes, first.outcome) == (False, (), None, "rejected")
    assert second.measured
    assert list_changes(second.check_changes)["claims-hold"] is ItemChange.FIXED


def test_handoffs_are_listed_with_their_last_outcome(story: AttemptStory) -> None:
    """One row per phase."""
    desk, log = story.open()
    [row] = list_histories(desk, log).rows
    assert (row.handoff, row.attempts, row.sent_back) == (HANDOFF, 3, 2)
    assert (row.outcome, row.who, row.when) == (report.AttemptOutcome.RETRY, "bob", "2026-01-02T13:00:00Z")


def test_unknown_handoff_is_refused(story: AttemptStory) -> None:
    """One that neither the files nor the log know."""
    desk, log = story.open()
    with pytest.raises(HandoffNotFoundError):
        read_history(desk, log, "H-99")


def test_unknown_phase_is_refused(story: AttemptStory) -> None:
    """Nothing is made up for it; those that are known are named."""
    desk, log = story.open()
    with pytest.raises(UsageError, match="'nope'") as refused:
        read_history(desk, log, HANDOFF, "nope")
    assert PHASE in refused.value.hint


def test_work_since_an_approval_says_so(tmp_path: Path) -> None:
    """Whoever approved what, on the commit from which changes are counted."""
    story = AttemptStory(tmp_path)
    story.decide("approve", 1, handoff="H-7")
    story.work("# more\n")
    story.decide("reject", 1)
    [only] = read(story).attempts
    assert only.commits_since == f"the last approval on this branch, {story.base[:7]}"


def test_handoff_that_only_the_log_knows_has_a_history(tmp_path: Path) -> None:
    """Its documents are gone, and that is said; so are the other phases that the log knows."""
    story = AttemptStory(tmp_path)
    story.decide("reject", 1, handoff="H-7", phase="build")
    story.decide("hold", 1, handoff="H-7", phase="verify")
    desk, log = story.open()
    history = read_history(desk, log, "H-7")
    assert (history.phase, [one.outcome for one in history.attempts]) == ("verify", [report.AttemptOutcome.HELD])
    assert any("documents are gone" in note for note in history.notes)
    assert any("build" in note for note in history.notes)


def compare(story: AttemptStory, first: str, second: str) -> report.AttemptComparison:
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
    assert (found.before.outcome, found.after.outcome) == (report.AttemptOutcome.REJECTED, report.AttemptOutcome.RETRY)
    assert found.check_changes is not None
    assert {item.id: item.change for item in found.check_changes.items}["claims-hold"] is ItemChange.FIXED
    assert found.record is not None
    assert {item.id for item in found.record.tests.items} == {"test_b", "test_c", "test_d"}
    assert [file.change.path for file in found.files or ()] == ["src/app.py"]
    assert "left out: 1 other file that changed in between" in found.notes
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
    assert (found.after.outcome, found.after.number) == (report.AttemptOutcome.OPEN, 3)
    assert len(found.commits or ()) == 3


def test_now_is_the_same_as_in_the_history(tmp_path: Path) -> None:
    """Who made it, how long that ran, and which run it was."""
    story = tell_story(tmp_path)
    desk, log = story.open()
    key = RunKey(handoff=HANDOFF, phase=PHASE, attempt=3)
    plan = RunPlan(key=key, argv=("maker",), folder="/w", timeout_seconds=5, agent="maker")
    handle = write_run(desk.repository.common_dir, plan, {"output.log": b"working\n"})
    end = RunEnd(ending=RunEnding.EXITED, code=0, began=1.0, seconds=75.0)
    write_value(handle.folder / "exit.json", end)
    compared = compare(story, f"{HANDOFF}:1", "now").after
    listed = read_history(desk, log, HANDOFF, now=examine(desk, log, HANDOFF, options=WITHOUT_COMMANDS)).attempts[-1]
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
    before = report.AttemptRun(
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
        ("variables", "PATH", ""),
    ]


_SETTINGS = '[checks.deployed]\nrun = ["true"]\nphases = ["deploy"]\n'


def test_phase_is_known_by_log_documents_and_checks(tmp_path: Path) -> None:
    """Each as the log spells it; any other is refused, with those that are known."""
    builder = RepositoryBuilder.init(tmp_path / "r").write("handoff-tui.toml", _SETTINGS).commit("all")
    desk = open_session(builder.folder)
    handoff = Handoff(
        id=HANDOFF,
        dialect="notes",
        source_phase="The Build",
        attempts=(Attempt(number=1, phase="plan", agent=None),),
    )
    index = build_index(build_entry(1, "alice", 1, "reject"))
    known = list_known_phases(desk, index, handoff)
    assert {PHASE, "The-Build", "plan", "deploy"} <= set(known)
    assert [find_known_phase(desk, index, handoff, name) for name in (None, "deploy")] == ["The-Build", "deploy"]
    with pytest.raises(UsageError, match="has no phase 'nope'") as refused:
        find_known_phase(desk, index, handoff, "nope")
    assert "The-Build, deploy, plan" in (refused.value.hint or "")


PLAIN = Handoff(id=HANDOFF, dialect="notes")


def group(*verbs: tuple[str, str | None], void: tuple[int, ...] = ()) -> AttemptSources:
    """One attempt on which people did these things, one after the other."""
    entries = [build_entry(number, actor, 1, verb) for number, (actor, verb) in enumerate(verbs, start=1)]
    index = build_index(*entries, void=tuple(entries[number - 1].id for number in void))
    [sources] = group_attempts(index, PLAIN, PHASE)
    return sources


@pytest.mark.parametrize(
    ("verbs", "outcome"),
    [
        ([("claude", None)], report.AttemptOutcome.SUBMITTED),
        ([("alice", "approve")], report.AttemptOutcome.APPROVED),
        ([("alice", "carry")], report.AttemptOutcome.APPROVED),
        ([("alice", "approve"), ("bob", "reject")], report.AttemptOutcome.REJECTED),
        ([("bob", "reject"), ("alice", "approve")], report.AttemptOutcome.REJECTED),
        ([("alice", "reject"), ("alice", "approve")], report.AttemptOutcome.APPROVED),
        ([("alice", "approve"), ("alice", "withdraw")], report.AttemptOutcome.WITHDRAWN),
        ([("alice", "hold"), ("bob", "override")], report.AttemptOutcome.HELD),
        ([("alice", "skip")], report.AttemptOutcome.SKIPPED),
    ],
)
def test_outcome_is_the_heaviest_last_word(verbs: list[tuple[str, str | None]], outcome: report.AttemptOutcome) -> None:
    """Each person's last decision counts; one who sends back outweighs all who let pass."""
    assert group(*verbs).outcome is outcome


def test_void_decision_is_told_and_does_not_count() -> None:
    """It stays in the list with the reason."""
    sources = group(("alice", "approve"), ("bob", "reject"), void=(2,))
    assert sources.outcome is report.AttemptOutcome.APPROVED
    told = sources.list_decisions()
    assert [(one.actor, bool(one.void), one.taken_back) for one in told] == [
        ("alice", False, False),
        ("bob", True, False),
    ]


def test_decision_that_was_overtaken_is_taken_back() -> None:
    """By the same person; another one's is not."""
    told = group(("alice", "reject"), ("bob", "hold"), ("alice", "approve")).list_decisions()
    assert [one.taken_back for one in told] == [True, False, False]


def test_documents_and_runs_tell_of_attempts_too() -> None:
    """Of the same phase, however it is spelled; where nothing else does, that is the outcome."""
    handoff = PLAIN.model_copy(
        update={"attempts": (Attempt(number=1, phase="Review"), Attempt(number=2, phase="build"), Attempt(number=3))}
    )
    run = RunState(key=RunKey(handoff=HANDOFF, phase=PHASE, attempt=4), folder="", status=RunStatus.FINISHED)
    other = RunState(key=RunKey(handoff=HANDOFF, phase="build", attempt=5), folder="", status=RunStatus.FINISHED)
    found = group_attempts(None, handoff, PHASE, (run, other))
    assert [(one.number, one.outcome) for one in found] == [
        (1, report.AttemptOutcome.CLAIMED),
        (3, report.AttemptOutcome.CLAIMED),
        (4, report.AttemptOutcome.RAN),
    ]
    assert found[0].work is None


@pytest.fixture
def told(tmp_path: Path) -> AttemptStory:
    told = AttemptStory(tmp_path)
    told.decide("reject", 1, build_shown("claims-hold", "fail", "gone"), tests={"test_a": "pass"})
    return told


def read_outcomes(told: AttemptStory) -> AttemptContent:
    desk, log = told.open()
    index = build_log_index(log.verify())
    [sources] = group_attempts(index, Handoff(id=HANDOFF, dialect="notes"), PHASE)
    return read_content(desk, f"{HANDOFF}:{PHASE}:1", sources)


def test_content_is_what_the_entry_is_bound_to(told: AttemptStory) -> None:
    """Commit, files, snapshot and results as they were shown; if only the commit is here, the files are made again."""
    content = read_outcomes(told)
    assert (content.commit, content.words) == (told.builder.head(), "attempt 1")
    assert content.tree == content.recorded_tree
    assert (content.shown, content.checks) == ({"claims-hold": "fail"}, {"claims-hold": "fail"})
    assert content.started_from == told.base
    assert content.tests is not None


def test_missing_evidence_is_nothing(told: AttemptStory) -> None:
    """A record that is gone is not replaced by the snapshot's results under its name."""
    shutil.rmtree(told.root / ".handoff-tui" / "reviews")
    content = read_outcomes(told)
    assert (content.shown, content.checks) == (None, {"claims-hold": "fail"})
    shutil.rmtree(told.root / ".handoff-tui" / "baselines")
    content = read_outcomes(told)
    assert (content.snapshot, content.checks, content.tests) == (None, None, None)


def test_damaged_evidence_is_nothing(told: AttemptStory) -> None:
    """A file whose content does not fit its name is not read."""
    for place in (told.root / ".handoff-tui").glob("*/*.json"):
        place.write_bytes(place.read_bytes() + b" ")
    content = read_outcomes(told)
    assert (content.snapshot, content.shown) == (None, None)


def test_files_that_are_not_those_of_the_commit_are_not_here(told: AttemptStory) -> None:
    """A tree that the log names and that neither git nor its commit has."""
    desk, _ = told.open()
    content = AttemptContent("H-1:build:1", told.builder.head(), recorded_tree="1" * 40, _session=desk)
    assert content.tree is None


def test_tests_are_counted_by_outcome() -> None:
    """Errors are failures; skipped ones are a number of their own; without a report there is no number."""
    outcomes = {name: TestOutcome(name) for name in ("pass", "fail", "error", "skipped")}
    numbers = AttemptContent("H-1:build:1", snapshot=build_snapshot(tests=outcomes)).tests
    assert numbers is not None
    assert (numbers.total, numbers.passed, numbers.failed, numbers.skipped) == (4, 1, 2, 1)
    assert AttemptContent("H-1:build:1", snapshot=build_snapshot()).tests is None


def test_times_are_counted_between_entries() -> None:
    """Worked from the rejection to the handing over, waited from there to the first decision."""
    index = build_index(
        build_entry(1, "alice", 1, "reject"),
        build_entry(61, "claude", 2),
        build_entry(91, "bob", 2, "hold"),
        build_entry(95, "alice", 2, "approve"),
    )
    first, second = group_attempts(index, PLAIN, PHASE)
    record = build_attempt("H-1:build:2", second, first, {"a" * 40: report.CommitPlace.ASIDE})
    assert (record.worked_seconds, record.waited_seconds, record.ran_seconds) == (60, 30, None)
    assert (record.commit_place, record.producers, record.measured) == (report.CommitPlace.ASIDE, ("claude",), False)


def test_time_that_runs_backwards_is_not_counted() -> None:
    """Clocks of two machines differ; nobody worked for less than nothing."""
    index = build_index(build_entry(9, "alice", 1, "reject"), build_entry(3, "claude", 2))
    first, second = group_attempts(index, PLAIN, PHASE)
    assert build_attempt("H-1:build:2", second, first, {}).worked_seconds is None


def test_claimed_attempt_is_told_with_its_agent() -> None:
    """Who a document names counts only where no entry names anybody."""
    sources = AttemptSources(1, claimed=(Attempt(number=1, agent="heron"),))
    record = build_attempt("H-1:build:1", sources, None, {})
    assert (record.outcome, record.producers, record.commit_place) == (report.AttemptOutcome.CLAIMED, ("heron",), None)


def test_agent_that_the_handoff_names_comes_first() -> None:
    """Others have a part in the same commits only."""
    entry = build_entry(1, "alice", 1, "reject")
    assert entry.work is not None
    work = entry.work.model_copy(update={"producers": ("claude", "curlew@example.org", "Heron", "plover")})
    index = build_index(entry.model_copy(update={"work": work}))
    [plain] = group_attempts(index, PLAIN, PHASE)
    record = build_attempt("H-1:build:1", plain, None, {}, ("plover",))
    assert record.producers == ("plover", "claude", "curlew@example.org", "Heron")
    told = plain._replace(claimed=(Attempt(number=1, agent="heron"),))
    record = build_attempt("H-1:build:1", told, None, {}, ("plover",))
    assert record.producers == ("Heron", "plover", "claude", "curlew@example.org")
