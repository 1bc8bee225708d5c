"""Whether the evidence of a decision is there, and says what the decision says."""

from __future__ import annotations

import pytest

from handoff_tui.history.replay.evidence import Remark, build_evidence_answer
from handoff_tui.history.replay.report import Question, Standing
from tests.support.replay_story import FAILED, OTHERS, PASSED, ReplayStory
from tests.support.repositories import RepositoryBuilder


@pytest.fixture
def story(builder: RepositoryBuilder) -> ReplayStory:
    return ReplayStory(builder)


def test_answer_is_as_bad_as_the_worst_remark() -> None:
    """The bad ones come first; without any nothing is known."""
    good, lost, bad = (Remark(one, one.value) for one in (Standing.HOLDS, Standing.UNKNOWN, Standing.FAILS))
    answer = build_evidence_answer([good, lost, bad])
    assert (answer.standing, answer.details) == (Standing.FAILS, ("fails", "unknown", "holds"))
    assert answer.summary == "fails (and 1 more)"
    assert build_evidence_answer([]).standing is Standing.UNKNOWN


def test_whole_evidence_holds(story: ReplayStory) -> None:
    """Snapshot, record, results, their digest, and the files of the commit."""
    story.decide()
    standing, words = story.ask(Question.EVIDENCE)
    assert standing is Standing.HOLDS
    assert "exactly these files" in words
    assert "have the signed digest" in words


def test_results_that_do_not_give_the_signed_digest_are_said(story: ReplayStory) -> None:
    """The record and the digest are signed side by side; nobody may take one for the other."""
    subject = story.build_subject().model_copy(update={"checks": "9" * 64})
    story.decide(subject=subject)
    standing, words = story.ask(Question.EVIDENCE)
    assert (standing, "cannot be computed again from the record" in words) == (Standing.UNKNOWN, True)


def test_missing_record_fails_as_a_changed_one_does(story: ReplayStory) -> None:
    """Whoever forged a record must not gain by deleting it."""
    story.decide()
    [place] = (story.builder.folder / ".handoff-tui/reviews").glob("*.json")
    content = place.read_bytes()
    place.unlink()
    standing, words = story.ask(Question.EVIDENCE)
    assert (standing, "neither in the work tree nor on a branch" in words) == (Standing.FAILS, True)
    place.write_bytes(content + b" ")
    standing, words = story.ask(Question.EVIDENCE)
    assert (standing, "another content" in words) == (Standing.FAILS, True)


def test_record_on_a_branch_is_evidence(story: ReplayStory) -> None:
    """It needs not be in the work tree."""
    story.decide()
    story.builder.commit("the log")
    [place] = (story.builder.folder / ".handoff-tui/reviews").glob("*.json")
    place.unlink()
    assert story.ask(Question.EVIDENCE)[0] is Standing.HOLDS


def test_approval_over_open_checks_fails(story: ReplayStory) -> None:
    """The record shows what the decision must not have passed."""
    story.decide(checks=(FAILED, *OTHERS))
    standing, words = story.ask(Question.EVIDENCE)
    assert (standing, "blocking checks open: claims-hold" in words) == (Standing.FAILS, True)


def test_override_names_what_it_goes_over(story: ReplayStory) -> None:
    """Exactly the checks that were open."""
    story.decide("override", checks=(FAILED, *OTHERS), record={"overridden": ("claims-hold",)})
    assert story.ask(Question.EVIDENCE)[0] is Standing.HOLDS
    story.decide("override", checks=(PASSED, *OTHERS), record={"overridden": ("claims-hold",)})
    standing, words = story.ask(Question.EVIDENCE)
    assert (standing, "not those that the record shows open" in words) == (Standing.FAILS, True)


def test_record_of_something_else_fails(story: ReplayStory) -> None:
    """It must be about the same work."""
    story.decide(record={"attempt": 7})
    standing, words = story.ask(Question.EVIDENCE)
    assert (standing, "about something else" in words) == (Standing.FAILS, True)


def test_commit_with_other_files_fails(story: ReplayStory) -> None:
    """The tree is bound by itself; a commit that does not have it was named wrongly."""
    subject = story.build_subject().model_copy(update={"tree": "9" * 40})
    story.decide(subject=subject)
    standing, words = story.ask(Question.EVIDENCE)
    assert (standing, "has other files" in words) == (Standing.FAILS, True)


def test_rewritten_history_is_said(story: ReplayStory) -> None:
    """A commit that is here and not behind HEAD still has its files; one that is gone cannot be compared."""
    story.decide()
    builder = story.builder
    builder.write("src/app.py", "other\n").step("add", "src").step("commit", "--quiet", "--amend", "--message=again")
    standing, words = story.ask(Question.EVIDENCE)
    assert (standing, "not in the history of HEAD" in words) == (Standing.HOLDS, True)
    builder.step("reflog", "expire", "--expire=now", "--all").step("gc", "--quiet", "--prune=now")
    standing, words = story.ask(Question.EVIDENCE)
    assert (standing, "history was rewritten" in words) == (Standing.UNKNOWN, True)
