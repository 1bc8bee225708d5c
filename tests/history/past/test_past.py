from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from handoff_tui.checks.context import Answers, Context
from handoff_tui.checks.registry import RULES
from handoff_tui.checks.report import Outcome
from handoff_tui.checks.rule import UndecidableError
from handoff_tui.checks.run.baseline import ChosenBaseline, choose_usual_baseline
from handoff_tui.checks.run.check import check
from handoff_tui.checks.run.choose import CheckRequest
from handoff_tui.core.errors import ConfigError, EntryNotFoundError, FileUnreadableError, UsageError
from handoff_tui.core.place import CheckMoment
from handoff_tui.handoffs.read_handoffs import read_repository
from handoff_tui.handoffs.session import open_session
from handoff_tui.history.past import checks
from handoff_tui.history.past.repository import (
    CurrentLog,
    EntryEvidence,
    PastGates,
    PastRepositories,
    list_evidence,
    read_current_log,
)
from handoff_tui.log.entry import LogProblem, LogProblemLevel
from handoff_tui.log.index import build_log_index
from tests.support.attempts import HANDOFF, AttemptStory, build_entry, build_index, tell_story
from tests.support.fingerprint import read_fingerprint
from tests.support.gates import GateDesk
from tests.support.histories import clone_at
from tests.support.repositories import RepositoryBuilder


def test_past_desk_reads_as_if_it_were_checked_out(sample_repository: Path, tmp_path: Path) -> None:
    """The same handoffs, claims and problems as in a clone that stands at that commit."""
    commit = "HEAD~8"
    clone = RepositoryBuilder(tmp_path / "clone")
    RepositoryBuilder(sample_repository).git(
        "clone", "--quiet", "--no-local", str(sample_repository), str(clone.folder)
    )
    clone.git("fetch", "--quiet", str(sample_repository), "refs/notes/*:refs/notes/*", "refs/tags/*:refs/tags/*")
    clone.git("checkout", "--quiet", "--detach", RepositoryBuilder(sample_repository).head(commit))
    there = read_repository(open_session(clone.folder)).result
    here = PastRepositories(open_session(sample_repository)).open(commit).reading.result
    assert [one.id for one in here.handoffs if one.dialect != "tdd"] == [
        one.id for one in there.handoffs if one.dialect != "tdd"
    ]
    assert {one.id: one for one in here.handoffs} == {
        one.id: one for one in there.handoffs if one.id in {known.id for known in here.handoffs}
    }
    assert (here.unknown, here.problems) == (there.unknown, there.problems)


def test_past_desk_leaves_the_repository_alone(builder: RepositoryBuilder) -> None:
    """Nothing is written, and what is uncommitted now is not seen."""
    builder.write("HANDOFF.md", "# Handoff\n\nStatus: COMPLETE\n").commit().write("HANDOFF.md", "now\n")
    before = read_fingerprint(builder.folder)
    past = PastRepositories(open_session(builder.folder)).open("HEAD")
    assert past.read_document("HANDOFF.md").startswith(b"# Handoff")
    assert [one.status for one in past.reading.result.handoffs] == ["COMPLETE"]
    assert (past.session.work_tree.facts.changed, past.session.work_tree.facts.head) == ((), builder.head())
    assert past.session.work_tree.tracked["HANDOFF.md"] == builder.head("HEAD:HANDOFF.md")
    assert read_fingerprint(builder.folder) == before
    with pytest.raises(FileUnreadableError, match="does not exist"):
        past.read_document("later.md")
    with pytest.raises(KeyError):
        past.session.work_tree.tracked["later.md"]


def test_past_desk_has_the_settings_of_then(builder: RepositoryBuilder) -> None:
    """Wrong ones are not used, and say why; whoever brings settings has these."""
    builder.write("handoff-tui.toml", "[limits]\ncommits = 7\n").commit()
    builder.write("handoff-tui.toml", "[limits]\ncomits = 7\n").commit()
    builder.write("handoff-tui.toml", "[limits]\ncommits = 9\n").commit()
    desk = open_session(builder.folder)
    assert PastRepositories(desk).open("HEAD~2").session.loaded.settings.limits.commits == 7
    wrong = PastRepositories(desk).open("HEAD~1").session.loaded
    assert "comits" in wrong.refused_shortly
    assert PastRepositories(desk, desk.loaded).open("HEAD~2").session.loaded.settings.limits.commits == 9


def test_past_desk_does_not_know_later_tags(builder: RepositoryBuilder) -> None:
    """Refs are in no commit; one that leads to a later commit was not there."""
    builder.commit("one").tag("early").commit("two").tag("late")
    past = PastRepositories(open_session(builder.folder)).open("HEAD~1")
    assert "refs/tags/early" in {ref.name for ref in past.reading.files.refs()}
    assert "refs/tags/late" not in {ref.name for ref in past.reading.files.refs()}


def test_name_that_is_no_commit_is_refused(builder: RepositoryBuilder) -> None:
    """With what may help in a shallow clone."""
    builder.commit("one").commit("two")
    with pytest.raises(UsageError, match="'nothing' is not a commit here"):
        PastRepositories(open_session(builder.folder)).open("nothing")
    shallow = builder.clone_shallow(builder.folder.parent / "shallow")
    with pytest.raises(UsageError) as refused:
        PastRepositories(open_session(shallow.folder)).open("HEAD~1")
    assert "shallow" in (refused.value.hint or "")


def test_memory_of_other_commits_changes_nothing(sample_repository: Path) -> None:
    """Documents that were parsed for another commit are read the same again, problems included."""
    desk = open_session(sample_repository)
    past = PastRepositories(desk)
    for commit in ("HEAD~7", "HEAD~4", "HEAD~7"):
        here = past.open(commit)
        assert here.reading.result == PastRepositories(desk).open(commit).reading.result
    past.close()


@pytest.fixture
def world(builder: RepositoryBuilder) -> checks.CommitWorld:
    """The second of three commits, compared with the first."""
    builder.write("a.md", "one\n").write("gone", "away\n").commit("first")
    builder.write("a.md", "two\n").write("run.sh").write("HANDOFF.md", "# Handoff\n\nStatus: COMPLETE\n")
    builder.place("run.sh").chmod(0o755)
    builder.place("gone").unlink()
    builder.commit("second").write("a.md", "three\n").commit("third")
    past = PastRepositories(open_session(builder.folder)).open("HEAD~1")
    return checks.CommitWorld(past, lambda: ChosenBaseline(builder.head("HEAD~2"), "named"))


def test_world_answers_from_the_commit(world: checks.CommitWorld, builder: RepositoryBuilder) -> None:
    """Files, permissions, history, changes and clock of then."""
    assert (world.read("a.md"), world.read("gone"), world.exists("run.sh")) == (b"two\n", None, True)
    assert (world.is_executable("run.sh"), world.is_executable("a.md")) == (True, False)
    assert world.paths() == ("HANDOFF.md", "a.md", "run.sh")
    assert [commit.subject for commit in world.commits()] == ["second", "first"]
    assert {(change.status, change.path) for change in world.changes()} == {
        ("A", "HANDOFF.md"),
        ("M", "a.md"),
        ("D", "gone"),
        ("A", "run.sh"),
    }
    assert world.read_at(world.baseline() or "", "a.md") == b"one\n"
    assert world.now().timestamp() == builder.moment - 60
    assert (world.lag(builder.head("HEAD~2")), world.lag(builder.head())) == (1, None)


def test_world_reads_handoffs_and_measures_them(world: checks.CommitWorld) -> None:
    """An unknown handoff has no verdicts."""
    [handoff] = world.handoffs()
    assert {verdict.claim.kind for verdict in world.verdicts(handoff.id)} == {claim.kind for claim in handoff.claims}
    assert (world.verdicts("none"), world.find("a.md", "HANDOFF.md")) == ((), "a.md")
    assert world.problems() == ()


@pytest.mark.parametrize(
    "ask",
    [
        lambda world: world.exists(".git/hooks/pre-push"),
        lambda world: world.read(".git/hooks/pre-push"),
        lambda world: world.is_writable("a.md"),
        lambda world: world.find_program("sh"),
        lambda world: world.remotes(),
        lambda world: world.reaches("origin"),
        lambda world: world.answers("https://example.org"),
    ],
)
def test_world_refuses_what_is_in_no_commit(
    world: checks.CommitWorld, ask: Callable[[checks.CommitWorld], object]
) -> None:
    """A rule that asks cannot tell, and says why."""
    with pytest.raises(UndecidableError, match=r"is in no commit$"):
        ask(world)


def test_rules_about_uncommitted_files_cannot_tell(world: checks.CommitWorld) -> None:
    """All others stay as they are."""
    suited = checks.adapt_rules(RULES)
    changed = [rule for rule, before in zip(suited, RULES, strict=True) if rule is not before]
    assert {rule.id for rule in changed} == {
        *("changes-are-documented", "documents-list-own-changes", "nothing-unpushed", "uncommitted-files-agree")
    }
    for rule in changed:
        with pytest.raises(UndecidableError, match=r"is in no commit$"):
            list(rule.judge(Context(Answers(world))))


COMMIT = "HEAD~4"

BY_THE_CLOCK = {"briefing-fresh", "lock-not-stale"}
"""Rules that judge by the moment of the commit there, and by now here."""


def test_rules_say_of_a_commit_what_they_say_where_it_is_checked_out(sample_repository: Path, tmp_path: Path) -> None:
    """Outcome, words and findings of every rule that can tell."""
    clone = clone_at(RepositoryBuilder(sample_repository), tmp_path / "clone", COMMIT)
    there = {
        result.id: result for result in check(open_session(clone.folder), CheckRequest(run_commands=False)).results
    }
    past = PastRepositories(open_session(sample_repository)).open(COMMIT)
    baseline = choose_usual_baseline(open_session(clone.folder))
    here = {result.id: result for result in checks.build_past_report(past, baseline, CheckRequest()).results}
    told = [name for name, one in here.items() if "is in no commit" not in one.summary and name not in BY_THE_CLOCK]
    assert len(told) > 50
    assert {name: (here[name].outcome, here[name].summary, here[name].findings) for name in told} == {
        name: (there[name].outcome, there[name].summary, there[name].findings) for name in told
    }


def test_report_counts_what_is_in_no_commit_as_out_of_place(builder: RepositoryBuilder) -> None:
    """It closes no gate of then."""
    builder.write("HANDOFF.md", "# Handoff\n\nStatus: COMPLETE\n").commit()
    past = PastRepositories(open_session(builder.folder)).open("HEAD")
    report = checks.build_past_report(past, ChosenBaseline(None, "none"), CheckRequest(moment=CheckMoment.PRE))
    unpushed = next(result for result in report.results if result.id == "nothing-unpushed")
    assert (unpushed.outcome, unpushed.remedy) == (Outcome.NOT_APPLICABLE, None)
    assert (report.mode, report.head) == ("pre", builder.head())
    assert Outcome.UNKNOWN not in {result.outcome for result in report.results}


def test_command_that_was_not_run_is_no_pass(builder: RepositoryBuilder) -> None:
    """It is listed as unknown, with the reason, and blocks where it would; one that was not asked for is not listed."""
    builder.write("handoff-tui.toml", "[checks.own]\nrun = ['true']\nseverity = 'critical'\n").commit()
    past = PastRepositories(open_session(builder.folder)).open("HEAD")
    report = checks.build_past_report(past, ChosenBaseline(None, "none"), CheckRequest())
    own = next(result for result in report.results if result.id == "own")
    assert (own.outcome, own.blocking, report.verdict) == (Outcome.UNKNOWN, True, "blocked")
    assert own.summary.startswith("not run")
    for request in (CheckRequest(excluded=("own",)), CheckRequest(only=("hashes-hold",))):
        other = checks.build_past_report(past, ChosenBaseline(None, "none"), request)
        assert (other.verdict, "own" in {result.id for result in other.results}) == ("pass", False)


def test_report_by_settings_that_cannot_be_used_is_refused(builder: RepositoryBuilder) -> None:
    """Nothing is checked by other settings than those of then."""
    builder.write("handoff-tui.toml", "nonsense = 1\n").commit()
    (builder.folder / "handoff-tui.toml").unlink()
    past = PastRepositories(open_session(builder.folder)).open("HEAD")
    with pytest.raises(ConfigError, match=rf"the settings as of {builder.head()[:7]} [^\0]*nonsense"):
        checks.build_past_report(past, ChosenBaseline(None, "none"), CheckRequest())


def test_baseline_of_a_branch_is_where_it_left(builder: RepositoryBuilder) -> None:
    """Without a log, as now."""
    builder.commit("one").step("checkout", "--quiet", "-b", "side").write("a").commit("two").write("b").commit("three")
    past = PastRepositories(open_session(builder.folder)).open("HEAD~1")
    assert checks.choose_past_baseline(past, None).commit == builder.head("main")


def test_log_is_found_by_entry_and_cut_there(gate_desk: GateDesk) -> None:
    """By the whole id or the beginning of it; what is fatal now was so then, as far as anybody can tell."""
    genesis = gate_desk.begin(gate_desk.person("bo"))
    desk = open_session(gate_desk.root)
    log = read_current_log(desk)
    assert log is not None
    for name in (genesis, genesis[:20], genesis.removeprefix("sha256:")[:9]):
        found = log.find_entry(name)
        assert found is not None
        assert found.id == genesis
    assert [log.find_entry(name) for name in ("", "sha256:", "0" * 64, "HEAD")] == [None] * 4
    then = log.build_at(genesis)
    assert ([row.id for row in then.build_view().rows], then.verdict.fatal) == ([genesis], False)
    gates = PastGates(PastRepositories(desk).open("HEAD"), then)
    assert (gates.tree, gates.index.verdict.log) == (gate_desk.builder.head("HEAD^{tree}"), genesis)
    fatal = LogProblem(level=LogProblemLevel.FATAL, code="rollback", text="an entry is gone")
    broken = CurrentLog(log.verdict.model_copy(update={"problems": (fatal,)}), log.candidates)
    assert broken.build_at(genesis).build_view().fatal
    with pytest.raises(EntryNotFoundError, match="no valid entry"):
        log.build_at("sha256:" + "0" * 64)


def test_repository_without_a_log_has_none(builder: RepositoryBuilder) -> None:
    """Nothing is read for it."""
    assert read_current_log(open_session(builder.commit().folder)) is None


@pytest.fixture(scope="module")
def evidence(tmp_path_factory: pytest.TempPathFactory) -> tuple[EntryEvidence, ...]:
    """Newest first: bob's retry, the submission, alice's rejection."""
    desk, log = tell_story(tmp_path_factory.mktemp("evidence")).open()
    return list_evidence(desk, build_log_index(log.verify()))


def test_outcome_is_that_of_the_gate_or_of_the_snapshot(evidence: tuple[EntryEvidence, ...]) -> None:
    """A submission has no record; what nobody asked is nothing."""
    retry, submission, rejection = evidence
    assert [one.find_outcome("claims-hold") for one in evidence] == ["pass", "pass", "fail"]
    assert (submission.record, submission.find_outcome("tests")) == (None, None)
    assert (retry.find_outcome("tests"), retry.has_failed("tests")) == ("error", True)
    assert rejection.find_findings("claims-hold") == {"gone": "found gone"}
    assert (rejection.find_findings("none"), rejection.has_failed("none")) == ({}, False)


def test_pass_counts_for_its_own_handoff_or_for_the_whole(evidence: tuple[EntryEvidence, ...]) -> None:
    """What a rule was shown to say of one handoff is not said of another; the snapshot is about all of them."""
    retry, submission, rejection = evidence
    assert retry.has_passed("claims-hold", HANDOFF, is_command=False)
    assert not rejection.has_passed("claims-hold", HANDOFF, is_command=False)
    assert submission.has_passed("claims-hold", "H-9", is_command=False)
    assert rejection.has_passed("problems-absent", HANDOFF, is_command=True)


def test_void_entries_are_no_evidence_and_old_ones_are_left_out(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Of a long log the newest are looked through."""
    desk, _ = AttemptStory(tmp_path_factory.mktemp("long")).open()
    entries = [build_entry(number, "alice", number, "reject") for number in range(1, 402)]
    found = list_evidence(desk, build_index(*entries, void=(entries[-1].id,)))
    assert (len(found), found[0].logged.entry.seq) == (300, 400)
