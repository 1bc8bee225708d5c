"""Every past approval judged again."""

from __future__ import annotations

from handoff_tui.handoffs.session import open_desk
from handoff_tui.history.replay.replay import list_approvals, replay, replay_at
from handoff_tui.history.replay.report import Question, Standing
from handoff_tui.log.index import build_log_index
from handoff_tui.log.open_log import open_log
from handoff_tui.log.show.view import EntryState
from tests.support.logs import LogBuilder
from tests.support.replay_story import ReplayStory
from tests.support.repositories import RepositoryBuilder


def test_decisions_that_let_work_pass_are_judged(builder: RepositoryBuilder) -> None:
    """Oldest first, each asked the same four questions; a rejection is none of them, but an entry of the log."""
    story = ReplayStory(builder)
    first = story.decide()
    story.decide("reject", actor="bob")
    last = story.decide("override", actor="bob")
    done: list[tuple[int, int]] = []
    desk = open_desk(builder.folder)
    report = replay(desk, open_log(desk.repository, remembered=False), lambda *told: done.append(told))
    assert [approval.entry for approval in report.approvals] == [first, last]
    assert [answer.question for answer in report.approvals[0].answers] == list(Question)
    assert [row.what for row in report.entries] == ["policy 1", "approve", "reject", "override"]
    assert done == [(1, 2), (2, 2)]
    assert report.approvals[0].standing is Standing.HOLDS


def test_broken_log_is_not_judged(builder: RepositoryBuilder) -> None:
    """Nothing is said about approvals that cannot be believed."""
    story = ReplayStory(builder)
    story.decide()
    story.log.place(story.log.genesis).unlink()
    report = story.replay()
    assert (report.fatal, report.approvals) == (True, ())
    assert any("nothing is judged" in note for note in report.notes)


def test_refused_entries_are_listed_and_not_judged(builder: RepositoryBuilder) -> None:
    """A forged approval is no approval."""
    story = ReplayStory(builder)
    entry = story.decide("reject")
    forged = story.log.place(entry).read_bytes().replace(b'"keyid":"SHA256:', b'"keyid":"SHA256:x')
    story.log.store(forged)
    report = story.replay()
    assert report.approvals == ()
    assert [row.state for row in report.entries].count(EntryState.REFUSED) == 1


def test_repository_without_a_log_has_nothing_to_judge(builder: RepositoryBuilder) -> None:
    """And says how to begin one."""
    builder.write("a.txt").commit()
    report = replay_at(builder.folder)
    assert (report.log, report.approvals) == (None, ())
    assert "handoff-tui init" in report.notes[0]


def test_approvals_are_listed_with_void_ones() -> None:
    """An auditor must see what was undone."""
    log = LogBuilder()
    log.add_policy()
    kept = [log.add_decision(verb=verb, handoff=f"H-{verb}") for verb in ("approve", "override", "skip")]
    log.add_decision(verb="hold")
    void = log.add_decision("bob", handoff="H-void")
    verdict = log.judge()
    index = build_log_index(verdict.model_copy(update={"void": {void: "the key was dropped"}}))
    assert [vote.entry.id for vote in list_approvals(index)] == [*kept, void]


def test_withdrawn_approval_is_listed_and_not_judged(builder: RepositoryBuilder) -> None:
    """Nothing is asked of it; what did not pass is told with its reason."""
    story = ReplayStory(builder)
    taken = story.decide()
    back = story.decide("withdraw", regards=(taken,), reason="decided too early")
    report = story.replay()
    [approval] = report.approvals
    assert (approval.standing, approval.withdrawn, approval.answers) == (Standing.WITHDRAWN, back, ())
    assert [(one.verb, one.reason) for one in report.others] == [("withdraw", "decided too early")]


def test_number_that_cannot_be_judged_is_told(builder: RepositoryBuilder) -> None:
    """Before anything else, since the exit code does not tell."""
    story = ReplayStory(builder)
    story.decide(subject=story.build_subject().model_copy(update={"commit": "9" * 40}))
    report = story.replay()
    assert report.count(Standing.UNKNOWN) == 1
    assert "1 approval cannot be judged here" in report.notes[-1]
