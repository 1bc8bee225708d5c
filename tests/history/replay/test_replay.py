"""Every past approval judged again."""

from __future__ import annotations

import pytest

from handoff_tui.checks.report import CheckResult, Outcome
from handoff_tui.core.place import Severity
from handoff_tui.handoffs.session import open_session
from handoff_tui.history.replay.page import (
    ReplayAnswer,
    ReplayQuestion,
    ReplayVerdict,
    build_replay_json,
    build_replay_page,
)
from handoff_tui.history.replay.replay import (
    EvidenceNote,
    GatheredEvidence,
    build_rules_answer,
    compare_record,
    compare_with_now,
    judge_people,
    list_approvals,
    replay,
    replay_at,
)
from handoff_tui.log.index import build_log_index
from handoff_tui.log.open_log import open_log
from handoff_tui.log.policy.policy import Policy
from handoff_tui.log.review_record import ReviewRecord, ShownCheck
from handoff_tui.log.show.view import EntryState
from handoff_tui.log.storage.evidence import find_review
from tests.support.desk_states import list_lines
from tests.support.gates import GateDesk
from tests.support.logs import LogBuilder, build_policy, build_policy_toml
from tests.support.replays import (
    FAILED,
    HOSTILE,
    OTHER,
    OTHERS,
    PASSED,
    ReplayStory,
    build_approval,
    build_replay_report,
    build_subject,
)
from tests.support.repositories import NOTE_ON_ADDING, RepositoryBuilder
from tests.support.signed import Person


def test_decisions_that_let_work_pass_are_judged(builder: RepositoryBuilder) -> None:
    """Oldest first, each asked the same four questions; a rejection is none of them, but an entry of the log."""
    story = ReplayStory(builder)
    first = story.decide()
    story.decide("reject", actor="bob")
    last = story.decide("override", actor="bob")
    done: list[tuple[int, int]] = []
    desk = open_session(builder.folder)
    report = replay(desk, open_log(desk.repository, remembered=False), lambda *told: done.append(told))
    assert [approval.entry for approval in report.approvals] == [first, last]
    assert [answer.question for answer in report.approvals[0].answers] == list(ReplayQuestion)
    assert [row.what for row in report.entries] == ["policy 1", "approve", "reject", "override"]
    assert done == [(1, 2), (2, 2)]
    assert report.approvals[0].standing is ReplayVerdict.HOLDS


def test_broken_log_is_not_judged(builder: RepositoryBuilder) -> None:
    """Nothing is said about approvals that cannot be believed."""
    story = ReplayStory(builder)
    story.decide()
    story.log.place(story.log.genesis).unlink()
    report = story.replay()
    assert (report.fatal, report.approvals) == (True, ())
    assert any("nothing was judged" in note for note in report.notes)


def test_refused_entries_are_listed_and_not_judged(builder: RepositoryBuilder) -> None:
    """A forged approval isn't an approval."""
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
    assert [decided.entry.id for decided in list_approvals(index)] == [*kept, void]


def test_withdrawn_approval_is_listed_and_not_judged(builder: RepositoryBuilder) -> None:
    """Nothing is asked of it; what did not pass is told with its reason."""
    story = ReplayStory(builder)
    taken = story.decide()
    back = story.decide("withdraw", regards=(taken,), reason="decided too early")
    report = story.replay()
    [approval] = report.approvals
    assert (approval.standing, approval.withdrawn, approval.answers) == (ReplayVerdict.WITHDRAWN, back, ())
    assert [(one.verb, one.reason) for one in report.others] == [("withdraw", "decided too early")]


@pytest.mark.parametrize(
    ("then", "now", "standing", "words"),
    [
        (b"", b"", ReplayVerdict.HOLDS, "the same as now"),
        (
            b"[checks.claims-hold]\nblocking = false\n",
            b"",
            ReplayVerdict.WEAKER,
            "blocking: False then, not set now",
        ),
        (b"", b"[checks.claims-hold]\nblocking = false\n", ReplayVerdict.HOLDS, "no weaker"),
        (b"", b'[checks.mine]\nrun = ["true"]\n', ReplayVerdict.WEAKER, "checks.mine: not set then, a check now"),
        (b"= no", b"", ReplayVerdict.UNKNOWN, "of then isn't valid TOML"),
        (b"", b"\xff", ReplayVerdict.UNKNOWN, "of now isn't valid TOML"),
    ],
)
def test_what_the_way_back_would_loosen_was_weaker(
    then: bytes, now: bytes, standing: ReplayVerdict, words: str
) -> None:
    """From now to then, by the same comparison that guards the configuration every day."""
    answer = compare_with_now(then, now, lambda _: None)
    assert answer.standing is standing
    assert words in "\n".join((answer.summary, *answer.details))


def test_configuration_is_read_from_the_commit_of_the_decision(builder: RepositoryBuilder) -> None:
    """Not from the work tree; a commit that is not here cannot be read."""
    story = ReplayStory(builder)
    builder.write("handoff-tui.toml", "[checks.claims-hold]\nblocking = false\n").commit("weaker")
    story.decide()
    assert story.ask(ReplayQuestion.CONFIGURATION)[0] is ReplayVerdict.HOLDS
    builder.write("handoff-tui.toml", "").commit("strict again")
    assert story.ask(ReplayQuestion.CONFIGURATION)[0] is ReplayVerdict.WEAKER
    story.decide(subject=story.build_subject().model_copy(update={"commit": "9" * 40}))
    standing, words = story.ask(ReplayQuestion.CONFIGURATION)
    assert (standing, "can't be read" in words) == (ReplayVerdict.UNKNOWN, True)


@pytest.fixture
def story(builder: RepositoryBuilder) -> ReplayStory:
    return ReplayStory(builder)


def test_whole_evidence_holds(story: ReplayStory) -> None:
    """Snapshot, record, results, their digest, and the files of the commit."""
    story.decide()
    standing, words = story.ask(ReplayQuestion.EVIDENCE)
    assert standing is ReplayVerdict.HOLDS
    assert "exactly these files" in words
    assert "match the signed digest" in words


def test_results_that_do_not_give_the_signed_digest_are_said(story: ReplayStory) -> None:
    """The record and the digest are signed side by side; nobody may take one for the other."""
    subject = story.build_subject().model_copy(update={"checks": "9" * 64})
    story.decide(subject=subject)
    standing, words = story.ask(ReplayQuestion.EVIDENCE)
    assert (standing, "can't be recomputed from the record" in words) == (ReplayVerdict.UNKNOWN, True)


def test_missing_record_fails_as_a_changed_one_does(story: ReplayStory) -> None:
    """Whoever forged a record must not gain by deleting it."""
    story.decide()
    [place] = (story.builder.folder / ".handoff-tui/reviews").glob("*.json")
    content = place.read_bytes()
    place.unlink()
    standing, words = story.ask(ReplayQuestion.EVIDENCE)
    assert (standing, "neither in the work tree nor on a branch" in words) == (ReplayVerdict.FAILS, True)
    place.write_bytes(content + b" ")
    standing, words = story.ask(ReplayQuestion.EVIDENCE)
    assert (standing, "different content" in words) == (ReplayVerdict.FAILS, True)


def test_record_on_a_branch_is_evidence(story: ReplayStory) -> None:
    """It needs not be in the work tree."""
    story.decide()
    story.builder.commit("the log")
    [place] = (story.builder.folder / ".handoff-tui/reviews").glob("*.json")
    place.unlink()
    assert story.ask(ReplayQuestion.EVIDENCE)[0] is ReplayVerdict.HOLDS


def test_approval_over_open_checks_fails(story: ReplayStory) -> None:
    """The record shows what the decision must not have passed."""
    story.decide(checks=(FAILED, *OTHERS))
    standing, words = story.ask(ReplayQuestion.EVIDENCE)
    assert (standing, "open blocking checks: claims-hold" in words) == (ReplayVerdict.FAILS, True)


def test_override_names_what_it_goes_over(story: ReplayStory) -> None:
    """Exactly the checks that were open."""
    story.decide("override", checks=(FAILED, *OTHERS), record={"overridden": ("claims-hold",)})
    assert story.ask(ReplayQuestion.EVIDENCE)[0] is ReplayVerdict.HOLDS
    story.decide("override", checks=(PASSED, *OTHERS), record={"overridden": ("claims-hold",)})
    standing, words = story.ask(ReplayQuestion.EVIDENCE)
    assert (standing, "aren't the ones the record shows open" in words) == (ReplayVerdict.FAILS, True)


def test_record_of_something_else_fails(story: ReplayStory) -> None:
    """It must be about the same work."""
    story.decide(record={"attempt": 7})
    standing, words = story.ask(ReplayQuestion.EVIDENCE)
    assert (standing, "about something other" in words) == (ReplayVerdict.FAILS, True)


def test_second_decision_with_a_baseline_holds(gate_desk: GateDesk, bo: Person) -> None:
    """The record shows the baseline, which the entry does not bind; its list of files gives the signed scope."""
    gate_desk.decide(bo, "approve")
    gate_desk.change()
    gate_desk.decide(bo, "approve")
    desk = open_session(gate_desk.root)
    log = open_log(desk.repository)
    report = replay(desk, log)
    for approval in report.approvals:
        [answer] = [one for one in approval.answers if one.question is ReplayQuestion.EVIDENCE]
        assert answer.standing is ReplayVerdict.HOLDS, answer.details
        assert "the files in the record (2) match the signed scope" in answer.details
    decided = list(build_log_index(log.verify()).decisions.values())[-1]
    record = find_review(desk.repository.root, decided.decision.review)
    assert record is not None
    emptied = record.model_copy(update={"scope": None})
    notes = list(compare_record(decided, GatheredEvidence(emptied, None, ())))
    assert notes[0] == EvidenceNote(ReplayVerdict.FAILS, "the files in the record aren't those the decision is about")


def test_commit_with_other_files_fails(story: ReplayStory) -> None:
    """The tree is bound by itself; a commit that does not have it was named wrongly."""
    subject = story.build_subject().model_copy(update={"tree": "9" * 40})
    story.decide(subject=subject)
    standing, words = story.ask(ReplayQuestion.EVIDENCE)
    assert (standing, "has different files" in words) == (ReplayVerdict.FAILS, True)


def test_rewritten_history_is_said(story: ReplayStory) -> None:
    """A commit that is here and not behind HEAD still has its files; one that is gone cannot be compared."""
    story.decide()
    builder = story.builder
    builder.write("src/app.py", "other\n").step("add", "src").step("commit", "--quiet", "--amend", "--message=again")
    standing, words = story.ask(ReplayQuestion.EVIDENCE)
    assert (standing, "isn't in the history of HEAD" in words) == (ReplayVerdict.HOLDS, True)
    builder.step("reflog", "expire", "--expire=now", "--all").step("gc", "--quiet", "--prune=now")
    standing, words = story.ask(ReplayQuestion.EVIDENCE)
    assert (standing, "history was rewritten" in words) == (ReplayVerdict.UNKNOWN, True)


TWO = build_policy(build_policy_toml(gates='[gates."*"]\nthreshold = 2\n'))


@pytest.fixture
def log() -> LogBuilder:
    log = LogBuilder()
    log.add_policy()
    return log


def judge(log: LogBuilder, entry: str, policy: Policy | None = None) -> tuple[ReplayVerdict, str]:
    index = build_log_index(log.judge())
    answer = judge_people(index, policy or build_policy(), index.decisions[entry])
    return answer.standing, answer.summary


def test_reviewer_of_today_counts(log: LogBuilder) -> None:
    """Also when somebody decided otherwise later."""
    entry = log.add_decision()
    log.add_decision("bob", "reject")
    assert judge(log, entry)[0] is ReplayVerdict.HOLDS


def test_somebody_who_left_does_not_count(log: LogBuilder) -> None:
    """The policy of today does not know them as a reviewer."""
    entry = log.add_decision("bob")
    standing, words = judge(log, entry, build_policy(build_policy_toml(reviewers=("alice",))))
    assert (standing, "no longer a reviewer" in words) == (ReplayVerdict.FAILS, True)


def test_nobody_approves_their_own_work(log: LogBuilder) -> None:
    """Neither made nor submitted."""
    made = log.add_decision(producers=("alice",))
    assert judge(log, made)[0] is ReplayVerdict.FAILS
    log.add_submission("bob", handoff="H-2")
    submitted = log.add_decision("bob", handoff="H-2")
    standing, words = judge(log, submitted)
    assert (standing, "submitted this work" in words) == (ReplayVerdict.FAILS, True)


def test_gate_that_asks_for_more_people_today_is_told(log: LogBuilder) -> None:
    """One of two is not enough; a second approval of the same files, later, is."""
    entry = log.add_decision()
    standing, words = judge(log, entry, TWO)
    assert (standing, "2 needed today" in words) == (ReplayVerdict.FAILS, True)
    log.add_decision("bob")
    assert judge(log, entry, TWO)[0] is ReplayVerdict.HOLDS


def test_role_that_is_asked_for_today_is_told(log: LogBuilder) -> None:
    """A number alone is not enough where a role is demanded."""
    gates = '[gates."*"]\nthreshold = 1\nrequire = "1 of security"\n'
    more = '[roles.security]\nprincipals = ["bob"]\n'
    policy = build_policy(build_policy_toml(gates=gates, more=more))
    assert judge(log, log.add_decision(), policy)[0] is ReplayVerdict.FAILS
    assert judge(log, log.add_decision("bob", handoff="H-2"), policy)[0] is ReplayVerdict.HOLDS


def test_submission_that_is_asked_for_today_is_told(log: LogBuilder) -> None:
    """Before the decision, and of the same work."""
    policy = build_policy(build_policy_toml(gates='[gates."*"]\nrequire_signed_submission = true\n'))
    standing, words = judge(log, log.add_decision(), policy)
    assert (standing, "signed submission" in words) == (ReplayVerdict.FAILS, True)
    log.add_submission(handoff="H-2")
    assert judge(log, log.add_decision(handoff="H-2"), policy)[0] is ReplayVerdict.HOLDS


def test_gate_that_is_gone_cannot_be_asked(log: LogBuilder) -> None:
    """No rule, no judgement."""
    policy = build_policy(build_policy_toml(gates="[gates.release]\nthreshold = 1\n"))
    assert judge(log, log.add_decision(), policy)[0] is ReplayVerdict.UNKNOWN


def test_old_decision_is_judged_at_its_own_time(log: LogBuilder) -> None:
    """An age limit closes gates of today, and does not undo what passed in time."""
    policy = build_policy(build_policy_toml(gates='[gates."*"]\nmax_age_days = 1\n'))
    assert judge(log, log.add_decision(), policy)[0] is ReplayVerdict.HOLDS


def test_void_decision_counts_for_nothing(log: LogBuilder) -> None:
    """A dropped key takes what the dropping policy had not seen with it."""
    entry = log.add_decision("bob", parents=(log.genesis,))
    signers = "".join(log.candidates[log.genesis].entry.policy.allowed_signers.splitlines(keepends=True)[::2])  # type: ignore[union-attr]
    log.add_policy(build_policy_toml(reviewers=("alice",), version=2), signers, parents=(log.genesis,))
    standing, words = judge(log, entry)
    assert (standing, "doesn't count" in words) == (ReplayVerdict.FAILS, True)


def test_withdrawn_approval_is_nobody_more(log: LogBuilder) -> None:
    """The second of two took theirs back."""
    entry = log.add_decision()
    other = log.add_decision("bob")
    assert judge(log, entry, TWO)[0] is ReplayVerdict.HOLDS
    log.add_decision("bob", "withdraw", regards=(other,))
    assert judge(log, entry, TWO)[0] is ReplayVerdict.FAILS


def see(name: str, outcome: Outcome, *, blocking: bool = True) -> CheckResult:
    return CheckResult(id=name, outcome=outcome, severity=Severity.HIGH, blocking=blocking, summary="a sentence")


def record(outcome: str, *overridden: str) -> ReviewRecord:
    shown = ShownCheck(id="b", outcome=outcome, severity="high", blocking=True)
    return ReviewRecord(
        handoff="H-1", phase="build", attempt=1, subject=build_subject(), checks=(shown,), overridden=overridden
    )


@pytest.mark.parametrize(
    ("outcome", "then", "standing"),
    [
        (Outcome.PASS, None, ReplayVerdict.HOLDS),
        (Outcome.NOT_APPLICABLE, None, ReplayVerdict.HOLDS),
        (Outcome.FAIL, record("pass"), ReplayVerdict.FAILS),
        (Outcome.FAIL, record("fail", "b"), ReplayVerdict.HOLDS),
        (Outcome.UNKNOWN, None, ReplayVerdict.UNKNOWN),
        (Outcome.UNKNOWN, record("pass"), ReplayVerdict.HOLDS),
        (Outcome.UNKNOWN, record("fail"), ReplayVerdict.UNKNOWN),
        (Outcome.ERROR, None, ReplayVerdict.UNKNOWN),
    ],
)
def test_answer_rests_on_today_then_on_the_record(
    outcome: Outcome, then: ReviewRecord | None, standing: ReplayVerdict
) -> None:
    """A rule that crashes on an old tree is unknown, not failed; what was overridden knowingly isn't news."""
    assert build_rules_answer([see("a", Outcome.PASS), see("b", outcome)], then).standing is standing


def test_rule_that_does_not_block_decides_nothing() -> None:
    """Warnings of today close no gate."""
    assert build_rules_answer([see("b", Outcome.FAIL, blocking=False)], None).standing is ReplayVerdict.HOLDS


def test_rules_run_on_the_tree_of_the_decision(builder: RepositoryBuilder) -> None:
    """What was right when it was approved stays right, whatever the work tree is like now."""
    story = ReplayStory(builder)
    story.decide()
    builder.write("HANDOFF.md", f"{NOTE_ON_ADDING}\nI created `src/missing.py`.\n").commit("a false claim")
    standing, words = story.ask(ReplayQuestion.RULES)
    assert (standing, "connections-stable taken from the record" in words) == (ReplayVerdict.HOLDS, True)


def test_approval_of_a_false_claim_fails_today(builder: RepositoryBuilder) -> None:
    """Even though its record says that all was well."""
    story = ReplayStory(builder)
    builder.write("HANDOFF.md", f"{NOTE_ON_ADDING}\nI created `src/missing.py`.\n").commit("a false claim")
    story.decide()
    standing, words = story.ask(ReplayQuestion.RULES)
    assert (standing, "claims-hold fails" in words) == (ReplayVerdict.FAILS, True)


def test_skip_is_asked_nothing_and_an_unknown_handoff_cannot_be_judged(builder: RepositoryBuilder) -> None:
    """A skip claims nothing; a handoff that no format reads from the commit is said to be none."""
    story = ReplayStory(builder)
    story.decide("skip")
    assert story.ask(ReplayQuestion.RULES)[0] is ReplayVerdict.HOLDS
    story.decide(handoff="H-99")
    standing, words = story.ask(ReplayQuestion.RULES)
    assert (standing, "don't find H-99" in words) == (ReplayVerdict.UNKNOWN, True)


def test_page_tells_the_details_of_what_does_not_hold() -> None:
    """With `everything` of all."""
    report = build_replay_report(build_approval(evidence=ReplayVerdict.FAILS, rules=ReplayVerdict.UNKNOWN))
    lines = list_lines(build_replay_page(report))
    text = "\n".join(lines)
    assert lines[0] == "Replay  1 approval: 1 fails"
    assert "✗ evidence" in text
    assert "a detail of the evidence" in text
    assert "? today's rules" in text
    assert "a detail of the people" not in text
    assert "a detail of the people" in "\n".join(list_lines(build_replay_page(report, everything=True)))


def test_hostile_texts_are_made_visible() -> None:
    """A reason or a summary may quote a file."""
    answer = ReplayAnswer(
        question=ReplayQuestion.RULES, standing=ReplayVerdict.FAILS, summary=HOSTILE, details=(HOSTILE,)
    )
    approval = build_approval().model_copy(update={"answers": (answer,), "handoff": HOSTILE, "actor": HOSTILE})
    text = "\n".join(list_lines(build_replay_page(build_replay_report(approval, notes=(HOSTILE,)))))
    assert "\x1b" not in text
    assert "\u202e" not in text


def test_withdrawn_approval_says_so_and_by_what() -> None:
    """In its own line, in the totals, and in JSON."""
    taken_back = build_approval().model_copy(update={"withdrawn": OTHER, "answers": ()})
    report = build_replay_report(build_approval(), taken_back)
    text = "\n".join(list_lines(build_replay_page(report)))
    assert "2 approvals: 1 holds, 1 withdrawn" in text
    assert "withdrawn by its author with entry cdcdcdcdcdcd; not judged" in text
    approvals = build_replay_json(report)["approvals"]
    assert isinstance(approvals, list)
    assert [(one["standing"], one["withdrawn"]) for one in approvals] == [("holds", None), ("withdrawn", OTHER)]


def test_approval_stands_as_its_worst_answer() -> None:
    """What fails outweighs what is unknown, that what was weaker, and that what holds; no answer is unknown."""
    assert build_approval().standing is ReplayVerdict.HOLDS
    assert build_approval(configuration=ReplayVerdict.WEAKER).standing is ReplayVerdict.WEAKER
    assert (
        build_approval(evidence=ReplayVerdict.UNKNOWN, configuration=ReplayVerdict.WEAKER).standing
        is ReplayVerdict.UNKNOWN
    )
    assert build_approval(evidence=ReplayVerdict.UNKNOWN).standing is ReplayVerdict.UNKNOWN
    assert build_approval(evidence=ReplayVerdict.UNKNOWN, people=ReplayVerdict.FAILS).standing is ReplayVerdict.FAILS
    assert build_approval().model_copy(update={"answers": ()}).standing is ReplayVerdict.UNKNOWN
