from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from handoff_tui.changes.snapshots.snapshot import TestOutcome
from handoff_tui.handoffs.handoff import Handoff
from handoff_tui.history.attempts.content import AttemptContent, read_content
from handoff_tui.history.attempts.sources import AttemptSources, group_attempts
from handoff_tui.log.index import build_log_index
from tests.support.attempts import HANDOFF, PHASE, AttemptStory, build_shown
from tests.support.snapshots import build_snapshot


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
