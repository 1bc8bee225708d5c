from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from handoff_tui.agents.runs.run import RunKey, RunState, RunStatus
from handoff_tui.changes.snapshots.snapshot import TestOutcome
from handoff_tui.core.tasks import Attempt
from handoff_tui.handoffs.handoff import Handoff
from handoff_tui.history.attempts.attempt import build_attempt
from handoff_tui.history.attempts.report import AttemptOutcome, CommitPlace
from handoff_tui.history.attempts.sources import (
    AttemptContent,
    AttemptSources,
    group_attempts,
    is_same_phase,
    read_content,
)
from handoff_tui.log.index import build_log_index
from tests.support.attempts import HANDOFF, PHASE, AttemptStory, build_entry, build_index, build_shown
from tests.support.snapshots import build_snapshot

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
        ([("claude", None)], AttemptOutcome.SUBMITTED),
        ([("alice", "approve")], AttemptOutcome.APPROVED),
        ([("alice", "carry")], AttemptOutcome.APPROVED),
        ([("alice", "approve"), ("bob", "reject")], AttemptOutcome.REJECTED),
        ([("bob", "reject"), ("alice", "approve")], AttemptOutcome.REJECTED),
        ([("alice", "reject"), ("alice", "approve")], AttemptOutcome.APPROVED),
        ([("alice", "approve"), ("alice", "withdraw")], AttemptOutcome.WITHDRAWN),
        ([("alice", "hold"), ("bob", "override")], AttemptOutcome.HELD),
        ([("alice", "skip")], AttemptOutcome.SKIPPED),
    ],
)
def test_outcome_is_the_heaviest_last_word(verbs: list[tuple[str, str | None]], outcome: AttemptOutcome) -> None:
    """Each person's last decision counts; one who sends back outweighs all who let pass."""
    assert group(*verbs).outcome is outcome


def test_void_decision_is_told_and_does_not_count() -> None:
    """It stays in the list with the reason."""
    sources = group(("alice", "approve"), ("bob", "reject"), void=(2,))
    assert sources.outcome is AttemptOutcome.APPROVED
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
        (1, AttemptOutcome.CLAIMED),
        (3, AttemptOutcome.CLAIMED),
        (4, AttemptOutcome.RAN),
    ]
    assert found[0].work is None


def test_newest_entry_stands_for_the_attempt() -> None:
    """Where files changed within an attempt, all that its entries are bound to is known."""
    index = build_index(
        build_entry(1, "claude", 1, tree="1" * 40),
        build_entry(2, "alice", 1, "hold", tree="2" * 40),
    )
    [sources] = group_attempts(index, PLAIN, PHASE)
    assert sources.work is not None
    assert sources.work.subject.tree == "2" * 40
    assert sources.trees == {"1" * 40, "2" * 40}


def test_same_phase_is_told_by_the_spelling_of_the_log() -> None:
    """Letters of any case, and what the log cannot hold as it holds it."""
    assert is_same_phase("Code Review", "code-review")
    assert not is_same_phase("build", "review")


@pytest.fixture
def story(tmp_path: Path) -> AttemptStory:
    story = AttemptStory(tmp_path)
    story.decide("reject", 1, build_shown("claims-hold", "fail", "gone"), tests={"test_a": "pass"})
    return story


def read(story: AttemptStory) -> AttemptContent:
    desk, log = story.open()
    index = build_log_index(log.verify())
    [sources] = group_attempts(index, Handoff(id=HANDOFF, dialect="notes"), PHASE)
    return read_content(desk, f"{HANDOFF}:{PHASE}:1", sources)


def test_content_is_what_the_entry_is_bound_to(story: AttemptStory) -> None:
    """Commit, files, snapshot and results as they were shown; the files are made anew where only the commit is here."""
    content = read(story)
    assert (content.commit, content.words) == (story.builder.head(), "attempt 1")
    assert content.tree == content.recorded_tree
    assert (content.shown, content.checks) == ({"claims-hold": "fail"}, {"claims-hold": "fail"})
    assert content.started_from == story.base
    assert content.tests is not None


def test_missing_evidence_is_nothing(story: AttemptStory) -> None:
    """A record that is gone is not replaced by the snapshot's results under its name."""
    shutil.rmtree(story.root / ".handoff-tui" / "reviews")
    content = read(story)
    assert (content.shown, content.checks) == (None, {"claims-hold": "fail"})
    shutil.rmtree(story.root / ".handoff-tui" / "baselines")
    content = read(story)
    assert (content.snapshot, content.checks, content.tests) == (None, None, None)


def test_damaged_evidence_is_nothing(story: AttemptStory) -> None:
    """A file whose content does not fit its name is not read."""
    for place in (story.root / ".handoff-tui").glob("*/*.json"):
        place.write_bytes(place.read_bytes() + b" ")
    content = read(story)
    assert (content.snapshot, content.shown) == (None, None)


def test_files_that_are_not_those_of_the_commit_are_not_here(story: AttemptStory) -> None:
    """A tree that the log names and that neither git nor its commit has."""
    desk, _ = story.open()
    content = AttemptContent("H-1:build:1", story.builder.head(), recorded_tree="1" * 40, _desk=desk)
    assert content.tree is None


def test_attempt_that_no_entry_is_about_has_no_content(story: AttemptStory) -> None:
    """Not even a commit."""
    desk, _ = story.open()
    assert read_content(desk, "H-1:build:1", AttemptSources(1)) == AttemptContent("H-1:build:1")


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
    record = build_attempt("H-1:build:2", second, first, {"a" * 40: CommitPlace.ASIDE})
    assert (record.worked_seconds, record.waited_seconds, record.ran_seconds) == (60, 30, None)
    assert (record.commit_place, record.producers, record.measured) == (CommitPlace.ASIDE, ("claude",), False)


def test_time_that_runs_backwards_is_not_counted() -> None:
    """Clocks of two machines differ; nobody worked for less than nothing."""
    index = build_index(build_entry(9, "alice", 1, "reject"), build_entry(3, "claude", 2))
    first, second = group_attempts(index, PLAIN, PHASE)
    assert build_attempt("H-1:build:2", second, first, {}).worked_seconds is None


def test_commit_that_nobody_found_is_missing() -> None:
    """Not behind, and not aside."""
    [only] = group_attempts(build_index(build_entry(1, "alice", 1, "approve")), PLAIN, PHASE)
    assert build_attempt("H-1:build:1", only, None, {}).commit_place is CommitPlace.MISSING


def test_claimed_attempt_is_told_with_its_agent() -> None:
    """Who a document names counts only where no entry names anybody."""
    sources = AttemptSources(1, claimed=(Attempt(number=1, agent="heron"),))
    record = build_attempt("H-1:build:1", sources, None, {})
    assert (record.outcome, record.producers, record.commit_place) == (AttemptOutcome.CLAIMED, ("heron",), None)


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
