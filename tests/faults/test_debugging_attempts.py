"""Attempts whose history, objects or evidence are gone: said plainly, never a wrong answer."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from handoff_tui.handoffs.handoff import Handoff
from handoff_tui.handoffs.session import open_session
from handoff_tui.history.attempts.attempts import Timeline, compare_attempts, read_history
from handoff_tui.history.attempts.page import build_history_page
from handoff_tui.history.attempts.report import AttemptHistory, AttemptOutcome, CommitPlace
from handoff_tui.history.attempts.sources import group_attempts
from handoff_tui.history.failure.failure import read_failure
from handoff_tui.log.index import build_log_index
from handoff_tui.log.open_log import open_log
from tests.support.attempts import HANDOFF, PHASE, AttemptStory, build_entry, build_index, build_shown, tell_story
from tests.support.command_line import InProcess
from tests.support.desk_states import list_lines


@pytest.fixture
def story(tmp_path: Path) -> AttemptStory:
    return tell_story(tmp_path)


def read(root: Path) -> AttemptHistory:
    desk = open_session(root)
    return read_history(desk, open_log(desk.repository), HANDOFF)


def rewrite(story: AttemptStory, *, pruned: bool) -> None:
    """Everything since the first commit becomes one other commit; what is not needed any more is taken away."""
    story.builder.git("reset", "--quiet", "--soft", story.base)
    story.builder.git("commit", "--quiet", "--amend", "--no-verify", "-m", "all in one")
    if pruned:
        story.builder.git("reflog", "expire", "--expire=all", "--all")
        story.builder.git("gc", "--quiet", "--prune=now")
        shutil.rmtree(story.folder / "cache", ignore_errors=True)


def test_rewritten_history_is_said_and_still_measured(story: AttemptStory) -> None:
    """The old commits are here, so what they held can be compared; that they lie aside is a note."""
    rewrite(story, pruned=False)
    first, second = read(story.root).attempts
    assert {first.commit_place, second.commit_place} == {CommitPlace.ASIDE}
    assert any("isn't in the history of HEAD: rewritten" in note for note in second.notes)
    assert len(second.commits or ()) == 2
    assert [point.addressed for point in first.asked] == [None, True, False, True, False, None]


def test_pruned_commits_leave_only_what_is_stored(story: AttemptStory) -> None:
    """Checks and tests come from the evidence; comments, commits and files are not guessed."""
    rewrite(story, pruned=True)
    first, second = read(story.root).attempts
    assert {first.commit_place, second.commit_place} == {CommitPlace.MISSING}
    assert second.commits is None
    assert any("isn't here" in note for note in second.notes)
    assert [point.addressed for point in first.asked] == [None, True, False, None, None, None]
    assert second.check_changes is not None
    desk = open_session(story.root)
    found = compare_attempts(desk, open_log(desk.repository), f"{HANDOFF}:1", "2")
    assert (found.files, found.commits, found.record is None) == (None, None, False)
    assert any("files of" in note and "aren't here" in note for note in found.notes)


def test_shallow_clone_says_what_it_lacks(story: AttemptStory, tmp_path: Path) -> None:
    """The log travels with the repository; the commits of old attempts do not."""
    story.builder.commit("the log")
    clone = story.builder.clone_shallow(tmp_path / "clone")
    first, second = read(clone.folder).attempts
    assert (first.outcome, second.outcome) == (AttemptOutcome.REJECTED, AttemptOutcome.RETRY)
    assert second.commits is None
    assert any("this clone is shallow" in note for note in second.notes)
    assert [point.addressed for point in first.asked if ".py" in point.subject] == [None]


def test_missing_and_damaged_evidence_is_said(story: AttemptStory) -> None:
    """Without records and snapshots nothing flipped, nothing was addressed, and nothing is zero."""
    reviews = story.root / ".handoff-tui" / "reviews"
    for place in reviews.iterdir():
        place.write_bytes(b"{}")
    shutil.rmtree(story.root / ".handoff-tui" / "baselines")
    first, second = read(story.root).attempts
    assert (second.check_changes, second.test_changes, second.tests, second.checks_total) == (None, None, None, None)
    assert [(point.text, point.addressed) for point in first.asked] == [("no tests, and the claim is false", None)]
    assert any("snapshot isn't stored here" in note for note in first.notes)
    assert any("review record" in note for note in first.notes)


def test_unsound_log_is_an_integrity_failure(story: AttemptStory, capsys: pytest.CaptureFixture[str]) -> None:
    """Code 3 and a word; a failure takes nothing from such a log, and works without it."""
    desk, log = story.open()
    log.consent(log.verify())
    story.log.place(story.log.heads()[0]).unlink()
    say = InProcess(capsys)
    for words in (("history",), ("history", HANDOFF, "--recorded"), ("compare", f"{HANDOFF}:1", "1")):
        said = say(*words, "--repo", story.root)
        assert (said.code, "not intact" in said.stdout) == (3, True)
    report = read_failure(desk, open_log(desk.repository), HANDOFF)
    assert any("not intact" in note for note in report.notes)


def test_check_that_crashed_on_an_old_tree_is_no_pass(tmp_path: Path) -> None:
    """Neither when it crashed before, nor when it does now."""
    story = AttemptStory(tmp_path)
    story.decide("reject", 1, build_shown("claims-hold", "error"))
    story.work("1\n", "a.py")
    story.decide("retry", 2, build_shown("claims-hold", "error"))
    story.work("2\n", "a.py")
    story.decide("approve", 3, build_shown("claims-hold", "pass"))
    first, second, third = read(story.root).attempts
    assert [point.addressed for one in (first, second) for point in one.asked if point.subject] == [False, True]
    assert (first.checks_passed, second.checks_passed, third.checks_passed) == (0, 0, 1)


def test_thousand_attempts_stay_usable(story: AttemptStory) -> None:
    """All are listed, the newest are looked into, and the page stays short."""
    desk, _ = story.open()
    index = build_index(*(build_entry(number, "alice", number, "reject") for number in range(1, 1_001)))
    handoff = Handoff(id=HANDOFF, dialect="notes")
    sources = tuple(group_attempts(index, handoff, PHASE))
    records = Timeline(desk, index, handoff, (handoff,), PHASE, sources).read_records(20)
    assert [record.number for record in records] == list(range(1, 1_001))
    assert sum(record.measured for record in records) == 20
    history = AttemptHistory(handoff=HANDOFF, phase=PHASE, attempts=records)
    assert len(list_lines(build_history_page(history))) < 100


def test_hostile_words_reach_no_terminal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A subject of a commit that would clear the screen is shown, and not obeyed."""
    story = AttemptStory(tmp_path)
    story.decide("reject", 1)
    story.work("1\n", "a.py", message="\x1b[2J\u202emoved")
    story.decide("approve", 2)
    for words in (("history", HANDOFF), ("compare", f"{HANDOFF}:1", "2")):
        said = InProcess(capsys)(*words, "--repo", story.root)
        assert "\x1b" not in said.stdout
        assert "\u202e" not in said.stdout
        assert "␛[2J" in said.stdout


def test_looking_at_attempts_writes_nothing(story: AttemptStory, capsys: pytest.CaptureFixture[str]) -> None:
    """Neither into the work tree nor into git's folder."""

    def stamp() -> dict[str, tuple[int, int]]:
        return {
            str(place): (place.lstat().st_size, place.lstat().st_mtime_ns)
            for place in story.root.rglob("*")
            if place.is_file()
        }

    before = stamp()
    say = InProcess(capsys)
    for words in (("history",), ("history", HANDOFF), ("compare", f"{HANDOFF}:1", "now"), ("failure", HANDOFF)):
        assert say(*words, "--repo", story.root).code in {0, 1}
    assert stamp() == before


def test_attempt_that_was_decided_in_two_clones_has_both(story: AttemptStory) -> None:
    """Two people who decide side by side on one attempt: who sends back outweighs."""
    heads = story.log.heads()
    story.decide("approve", 3, actor="alice", parents=heads)
    story.decide("reject", 3, actor="bob", parents=heads)
    desk, log = story.open()
    assert not build_log_index(log.verify()).verdict.fatal
    assert read(story.root).attempts[-1].outcome is AttemptOutcome.REJECTED
    assert desk.repository.root == story.root
