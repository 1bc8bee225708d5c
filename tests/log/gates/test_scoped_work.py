"""Attempts and producers of a handoff, by its own commits and the log."""

from __future__ import annotations

import pytest

from handoff_tui.core.place import Place
from handoff_tui.core.tasks import Fact
from handoff_tui.handoffs.handoff import Document, DocumentRole, Handoff
from handoff_tui.handoffs.read_handoffs import read_repository
from handoff_tui.handoffs.session import open_session
from handoff_tui.log.gates.all_gates import LogGates
from handoff_tui.log.gates.gate import GateQuestion
from handoff_tui.log.gates.position import build_handoff_digest
from handoff_tui.log.gates.scoped_work import build_scoped_handoff_digest
from handoff_tui.log.index import build_log_index
from tests.support.logs import LogBuilder, build_policy, build_policy_toml
from tests.support.repositories import EMAIL, NOTE_ON_ADDING, RepositoryBuilder

HANDOFF = "notes/HANDOFF.md"


@pytest.fixture
def log() -> LogBuilder:
    """A log with its policy."""
    made = LogBuilder()
    made.add_policy()
    return made


@pytest.fixture
def work(builder: RepositoryBuilder) -> RepositoryBuilder:
    """A repository with one handoff, committed by Ada."""
    builder.write("README.md").commit("before")
    return builder.write("src/app.py", "1\n").write("HANDOFF.md", NOTE_ON_ADDING).commit("the work")


def ask(builder: RepositoryBuilder, log: LogBuilder, toml: str | None = None) -> GateQuestion:
    """The gate's question, complete."""
    desk = open_session(builder.folder)
    handoffs = read_repository(desk).result.handoffs
    gates = LogGates(desk, handoffs)
    gates.index, gates.policy = build_log_index(log.judge()), build_policy(toml)
    asked = gates.ask(handoffs[0])
    return GateQuestion(
        key=asked.key, subject=gates.complete(asked, handoffs[0]), producers=asked.producers, now=asked.now
    )


def decide(builder: RepositoryBuilder, log: LogBuilder, verb: str, actor: str = "alice") -> None:
    """A decision on what is here now."""
    asked = ask(builder, log)
    subject = asked.subject.model_copy(update={"snapshot": "c" * 64, "checks": "d" * 64})
    log.add_decision(actor, verb, **asked.key._asdict(), subject=subject)


def count(builder: RepositoryBuilder, log: LogBuilder) -> int:
    return ask(builder, log).key.attempt


@pytest.mark.parametrize("verb", ["approve", "reject", "retry", "hold", "skip", "override"])
def test_first_own_commit_after_a_decision_is_the_next_attempt(
    work: RepositoryBuilder, log: LogBuilder, verb: str
) -> None:
    """Not a saved file, not a commit elsewhere, not a second own commit."""
    decide(work, log, verb)
    work.write("elsewhere.py").commit("something else")
    assert count(work, log) == 1
    work.write("src/app.py", "2\n")
    assert count(work, log) == 1
    work.commit("more work")
    assert count(work, log) == 2
    work.write("src/app.py", "3\n").commit("still more")
    assert count(work, log) == 2


def test_attempts_count_on(work: RepositoryBuilder, log: LogBuilder) -> None:
    """Each decision ends one, whoever made it; a submission may say a higher number."""
    for number, actor in enumerate(("alice", "bob", "alice"), 1):
        assert count(work, log) == number
        decide(work, log, "reject", actor)
        work.write("src/app.py", f"again {number}\n").commit("again")
    log.add_submission(handoff=HANDOFF, phase="review", attempt=9)
    assert count(work, log) == 9


def test_commit_of_what_was_decided_on_is_no_new_attempt(work: RepositoryBuilder, log: LogBuilder) -> None:
    """It was decided while it was not committed yet."""
    work.write("src/app.py", "2\n")
    decide(work, log, "approve")
    work.commit("as approved")
    assert count(work, log) == 1


def test_rewritten_history_with_equal_content_is_no_new_attempt(work: RepositoryBuilder, log: LogBuilder) -> None:
    """The commits are others, the files are the same."""
    decide(work, log, "approve")
    work.git("commit", "--quiet", "--amend", "--no-verify", "-m", "the same work in other words")
    assert count(work, log) == 1
    assert ask(work, log).subject.scope == log.candidates[log.heads()[0]].entry.work.subject.scope  # type: ignore[union-attr]


def commit_as(builder: RepositoryBuilder, email: str, path: str, content: str = "# new\n", subject: str = "x") -> None:
    builder.write(path, content).git("add", "--all")
    builder.git("commit", "--quiet", "--no-verify", "-m", subject, f"--author=X <{email}>")


def test_producers_made_own_commits(work: RepositoryBuilder, log: LogBuilder) -> None:
    """Authors and committers; not those who worked on something else, wrote the log, or configured us."""
    commit_as(work, "bo@example.org", "src/app.py")
    for number, path in enumerate(("elsewhere.py", ".handoff-tui/log/aa/x", "handoff-tui.toml")):
        commit_as(work, f"other{number}@example.org", path)
    assert ask(work, log).producers == {EMAIL, "bo@example.org"}


def test_rollback_makes_nobody_a_producer(work: RepositoryBuilder, log: LogBuilder) -> None:
    """It brings back content that was there; one that brings something new is work, whatever its subject says."""
    work.write("src/app.py", "2\n").commit("more")
    subject = "handoff-tui: roll back to the last approval"
    commit_as(work, "eve@example.org", "src/app.py", "1\n", subject)
    assert ask(work, log).producers == {EMAIL}
    commit_as(work, "eve@example.org", "src/app.py", "new\n", subject)
    assert ask(work, log).producers == {EMAIL, "eve@example.org"}


def test_review_that_is_filed_away_makes_nobody_a_producer(builder: RepositoryBuilder, log: LogBuilder) -> None:
    """Nor does a review that comes after a rejection begin the next attempt; the agent's next commit does."""
    builder.write("README.md").commit("before")
    builder.write("handoffs/H-7/H-7_BUILDER_HANDOFF.md", "# H-7: lamps\n")
    builder.write("handoffs/H-7/H-7_RESULTS.md", "# Results: H-7\n\n## Status: PASS\n").write("lamp.py", "1\n")
    builder.commit("Build lamps (H-7)")
    decide(builder, log, "reject")
    commit_as(builder, "rita@example.org", "handoffs/H-7/REVIEW_REPORT.md", "Review verdict: RETRY\n", "Review H-7")
    assert (count(builder, log), "rita@example.org" in ask(builder, log).producers) == (1, False)
    builder.step("mv", "handoffs/H-7/REVIEW_REPORT.md", "handoffs/H-7/REVIEW_REPORT_ATTEMPT_1.md")
    builder.write("lamp.py", "2\n").commit("Build lamps again (H-7)")
    assert (count(builder, log), "rita@example.org" in ask(builder, log).producers) == (2, False)


def test_agents_commit_under_the_name_of_a_person(work: RepositoryBuilder, log: LogBuilder) -> None:
    """If the policy says so; whoever the commit names beside them counts."""
    message = "more\n\nCo-authored-by: Claude <noreply@anthropic.com>"
    work.write("src/app.py", "2\n").commit(message)
    toml = f'commits_by = {{ "{EMAIL}" = "agents" }}\n' + build_policy_toml()
    assert ask(work, log, toml).producers == {"noreply@anthropic.com"}


def test_submitters_of_this_attempt_are_producers(work: RepositoryBuilder, log: LogBuilder) -> None:
    """Not those of an earlier attempt."""
    log.add_submission("bob", handoff=HANDOFF, phase="review", attempt=1)
    log.add_submission("claude", handoff=HANDOFF, phase="review", attempt=2)
    assert ask(work, log).producers == {EMAIL, "claude"}


REVIEWED = {
    "handoffs/H-7/REVIEW_REPORT.md": "# Review report: H-7\n\nReview verdict: PASS\n\n- 14 tests pass\n",
    "handoffs/H-7/EVALUATION_REPORT.md": "# Evaluation: H-7\n\nFinal verdict: ACCEPT\n",
    "handoffs/REGISTRY.md": "# Registry\n\n| ID | Status |\n|---|---|\n| H-7 | VALIDATED |\n",
}


@pytest.fixture
def built(builder: RepositoryBuilder) -> RepositoryBuilder:
    """A builder's handoff with a spec and results."""
    builder.write("README.md").write("handoffs/REGISTRY.md", "# Registry\n\n| ID | Status |\n|---|---|\n").commit(
        "before"
    )
    builder.write("handoffs/H-7/H-7_BUILDER_HANDOFF.md", "# H-7: lamps\n")
    builder.write("handoffs/H-7/H-7_RESULTS.md", "# Results: H-7\n\n## Status: PASS\n").write("lamp.py", "1\n")
    return builder.commit("Build lamps (H-7)")


@pytest.mark.parametrize("path", REVIEWED)
@pytest.mark.parametrize("subject", ["Review H-7", "paperwork"])
def test_what_tells_of_a_decision_does_not_supersede_it(
    built: RepositoryBuilder, log: LogBuilder, path: str, subject: str
) -> None:
    """A review, an evaluation, the registry: written, committed and changed after the approval."""
    before = ask(built, log)
    built.write(path, REVIEWED[path])
    for _ in range(2):
        after = ask(built, log)
        assert (after.subject.scope, after.subject.handoff) == (before.subject.scope, before.subject.handoff)
        assert after.key == before.key
        built.commit(subject)


def test_review_that_is_filed_away_does_not_supersede(built: RepositoryBuilder, log: LogBuilder) -> None:
    """Its old name is gone, its new one is a review, too."""
    before = ask(built, log).subject.scope
    review = "handoffs/H-7/REVIEW_REPORT.md"
    built.write(review, REVIEWED[review]).commit("Review H-7")
    built.step("mv", review, "handoffs/H-7/REVIEW_REPORT_ATTEMPT_1.md").commit("File it away (H-7)")
    assert ask(built, log).subject.scope == before


@pytest.mark.parametrize("path", ["handoffs/H-7/H-7_RESULTS.md", "handoffs/H-7/H-7_BUILDER_HANDOFF.md", "lamp.py"])
def test_what_was_judged_stays_bound(built: RepositoryBuilder, log: LogBuilder, path: str) -> None:
    """The work, the agent's report on it, and the spec that it was measured by."""
    before = ask(built, log).subject.scope
    built.write(path, "# Results: H-7\n\n## Status: PASS\n\nMore.\n")
    assert ask(built, log).subject.scope != before


def test_what_is_read_in_own_files_is_bound_as_bytes_only() -> None:
    """A version that reads more of the same bytes supersedes nothing; what stands outside the own files counts."""
    document = Document(path="handoffs/H-1/RESULTS.md", role=DocumentRole.RESULTS)
    plain = Handoff(id="H-1", dialect="builder", documents=(document,))
    richer = plain.model_copy(update={"status": "PASS", "title": "Lamp"})
    own = {document.path}
    assert build_scoped_handoff_digest(plain, own) == build_scoped_handoff_digest(richer, own)
    assert build_scoped_handoff_digest(plain, ()) != build_scoped_handoff_digest(richer, ())


def test_what_the_work_is_for_is_bound_by_its_document_alone() -> None:
    """The reader may find it or not: no approval is superseded by that."""
    told = Handoff(id="H-1", dialect="builder", title="Lamp")
    read = told.model_copy(update={"asked": Fact(name="mission", value="A lamp.", where=Place(path="spec.md", line=3))})
    assert build_scoped_handoff_digest(read, ()) == build_scoped_handoff_digest(told, ())
    assert build_handoff_digest(read) == build_handoff_digest(told)
