from __future__ import annotations

from contextlib import closing
from pathlib import Path
from threading import Event

import pytest

from handoff_tui.checks.context import Context
from handoff_tui.checks.registry import RULES
from handoff_tui.checks.report import CheckResult, Evidence, Finding, Outcome
from handoff_tui.checks.rule import Rule, RuleFinding, System
from handoff_tui.checks.run.baseline import ChosenBaseline
from handoff_tui.checks.run.commands import give_consent, list_commands, read_consent
from handoff_tui.core.errors import BisectError
from handoff_tui.core.place import Severity
from handoff_tui.handoffs.session import Session, open_session
from handoff_tui.history.bisect.page import build_bisect_page, describe_end
from handoff_tui.history.bisect.report import (
    BisectEnd,
    BisectReport,
    BisectWay,
    CommitLine,
    Culprit,
    CulpritFile,
    TrialVerdict,
    TriedCommit,
)
from handoff_tui.history.bisect.trials import RuleTrials, open_command_trials, read_culprit
from handoff_tui.history.past.checks import adapt_rules, is_decidable, is_undecidable, run_rules
from handoff_tui.history.past.repository import PastRepositories, find_commit
from handoff_tui.system.processes.walls import find_bubblewrap
from tests.support.desk_states import render_page
from tests.support.repositories import AUTHOR, EMAIL, RepositoryBuilder


def consent(desk: Session) -> None:
    state = read_consent(desk)
    assert state is not None
    give_consent(desk, state.digest)


def judge(context: Context) -> list[RuleFinding]:
    """Fails where the file says so, and crashes where there is none."""
    text = context.read_text("state.txt")
    assert text is not None, "no state here"
    return [RuleFinding(text, "state")] if text == "bad\n" else []


RULE = Rule("state-is-good", System.ALL, Severity.HIGH, "It is good.", "state.txt", "Mend it.", judge)


def configure(builder: RepositoryBuilder, run: str) -> Session:
    """A command check of the repository's own."""
    builder.write("handoff-tui.toml", f"[checks.own]\nrun = {run}\nenvironment = ['PATH']\n").commit()
    return open_session(builder.folder)


def try_command(desk: Session, commit: str = "HEAD", cancel: Event | None = None) -> tuple[TrialVerdict, str]:
    [command] = list_commands(desk, None, None)
    with open_command_trials(desk, command, cancel or Event()) as trials:
        tried = trials.run(find_commit(desk, commit))
    return tried.verdict, tried.result.summary


def test_rule_is_tried_on_trees_alone(builder: RepositoryBuilder) -> None:
    """Good, bad, and untestable where it crashes; the work tree says something else and is not asked."""
    builder.commit("nothing yet").write("state.txt", "good\n").commit().write("state.txt", "bad\n").commit()
    builder.write("state.txt", "neither\n")
    desk = open_session(builder.folder)
    with closing(RuleTrials(desk, RULE, lambda: ChosenBaseline(None, "none"), None)) as trials:
        tried = [trials.run(find_commit(desk, name)) for name in ("HEAD", "HEAD~1", "HEAD~2")]
    assert [one.verdict for one in tried] == [TrialVerdict.BAD, TrialVerdict.GOOD, TrialVerdict.UNTESTABLE]
    assert (tried[2].result.outcome, "no state here" in tried[2].result.summary) == (Outcome.ERROR, True)


def test_command_of_the_repository_waits_for_trust(builder: RepositoryBuilder, tmp_path: Path) -> None:
    """Nothing of it runs before."""
    canary = tmp_path / "canary"
    desk = configure(builder, f"['touch', '{canary}']")
    with pytest.raises(BisectError, match="nobody has consented to yet"):
        try_command(desk)
    assert not canary.exists()
    consent(desk)
    assert try_command(desk)[0] is TrialVerdict.GOOD
    assert canary.exists() is (find_bubblewrap() is None)  # it ran; behind walls nothing out here is in its reach


def test_trusted_script_is_the_one_that_runs(builder: RepositoryBuilder, tmp_path: Path) -> None:
    """What an old commit had in its place was never trusted."""
    canary = tmp_path / "canary"
    builder.write("check.sh", f"touch {canary}\n").commit().write("check.sh", "exit 1\n")
    desk = configure(builder, "['sh', 'check.sh']")
    consent(desk)
    assert try_command(desk, "HEAD~1") == (TrialVerdict.BAD, "it exited with 1")
    assert not canary.exists()


@pytest.mark.parametrize(
    ("line", "standing", "words"),
    [
        ("exit 0", TrialVerdict.GOOD, "it exited with 0"),
        ("exit 1", TrialVerdict.BAD, "it exited with 1"),
        ("exit 124", TrialVerdict.BAD, "it exited with 124"),
        ("exit 125", TrialVerdict.UNTESTABLE, "it exited with 125"),
        ("no-such-command", TrialVerdict.UNTESTABLE, "it exited with 127"),
        ("kill -9 $$", TrialVerdict.UNTESTABLE, "signal 9"),
    ],
)
def test_exit_codes_count_as_for_git_bisect(
    builder: RepositoryBuilder, line: str, standing: TrialVerdict, words: str
) -> None:
    """125 says that it cannot be told; beyond it, the script did not run as it should."""
    desk = configure(builder, f"['sh', '-c', '{line}']")
    consent(desk)
    tried = try_command(desk)
    assert (tried[0], words in tried[1]) == (standing, True)


def test_cancelled_command_says_nothing(builder: RepositoryBuilder) -> None:
    """It is ended, and is neither good nor bad."""
    desk = configure(builder, "['sleep', '60']")
    consent(desk)
    cancel = Event()
    cancel.set()
    assert try_command(desk, cancel=cancel)[0] is TrialVerdict.UNTESTABLE


def test_commit_that_cannot_be_checked_out_is_untestable(builder: RepositoryBuilder) -> None:
    """A link in the place of a trusted script is not written through."""
    builder.link("check.sh", "elsewhere").commit()
    builder.place("check.sh").unlink()
    builder.write("check.sh", "exit 0\n")
    desk = configure(builder, "['sh', 'check.sh']")
    consent(desk)
    standing, summary = try_command(desk, "HEAD~1")
    assert (standing, "is a link in this commit" in summary) == (TrialVerdict.UNTESTABLE, True)


def test_rule_about_what_is_in_no_commit_cannot_be_searched(builder: RepositoryBuilder) -> None:
    """Each of them says so of a commit, and no other does where there is nothing."""
    builder.write("HANDOFF.md", "# Handoff\n\nStatus: COMPLETE\n").commit()
    past = PastRepositories(open_session(builder.folder)).open("HEAD")
    untold = {
        one.id
        for one in run_rules(past, adapt_rules(RULES), lambda: ChosenBaseline(None, "none"))
        if is_undecidable(one)
    }
    assert "nothing-unpushed" in untold
    assert not any(map(is_decidable, untold))
    assert all(map(is_decidable, ("claims-hold", "hashes-hold", "own")))


def test_rule_may_fail_by_the_clock_of_now_alone(builder: RepositoryBuilder) -> None:
    """It passed when it was committed; a command has only the clock of now."""
    builder.write("state.txt", "good\n").commit()
    desk = open_session(builder.folder)
    late = RULE._replace(
        judge=lambda context: [RuleFinding("late", "x")] if context.now().timestamp() > builder.moment else []
    )
    for rule, expected in ((RULE, False), (late, True)):
        with closing(RuleTrials(desk, rule, lambda: ChosenBaseline(None, "none"), None)) as trials:
            commit = find_commit(desk, "HEAD")
            assert (trials.run(commit).verdict, trials.fails_by_now(commit)) == (TrialVerdict.GOOD, expected)


def read(builder: RepositoryBuilder, *findings: Finding, commit: str = "HEAD") -> Culprit:
    result = CheckResult(
        id="a", outcome=Outcome.FAIL, severity=Severity.HIGH, blocking=True, summary="it fails", findings=findings
    )
    desk = open_session(builder.folder)
    return read_culprit(desk, find_commit(desk, commit), result)


def test_culprit_has_author_words_and_files(builder: RepositoryBuilder) -> None:
    """What it changed, counted, and the whole diff where no finding names a file."""
    builder.write("a", "1\n").commit().write("a", "2\n").write("b", "x\ny\n").commit("Break it\n\nat last")
    culprit = read(builder)
    assert (culprit.author, culprit.author_email, culprit.subject) == (AUTHOR, EMAIL, "Break it")
    assert culprit.body == "Break it\n\nat last"
    assert [(file.status, file.path, file.added, file.deleted) for file in culprit.files] == [
        ("M", "a", 1, 1),
        ("A", "b", 2, 0),
    ]
    assert ("-1" in culprit.patch, "+y" in culprit.patch, culprit.patch_cut) == (True, True, False)


def test_culprit_shows_the_files_that_findings_name(builder: RepositoryBuilder) -> None:
    """By their place, or in their words."""
    builder.commit().write("place.md").write("spoken.md").write("other.md").commit()
    placed = Finding(message="wrong", fingerprint="1", evidence=(Evidence(path="place.md", line=1),))
    spoken = Finding(message="spoken.md is wrong", fingerprint="2", evidence=(Evidence(expected="a", actual=None),))
    culprit = read(builder, placed, spoken)
    assert {file.path for file in culprit.files if file.named} == {"place.md", "spoken.md"}
    assert "other.md" not in culprit.patch


def test_culprit_may_be_the_first_commit(builder: RepositoryBuilder) -> None:
    """It added everything."""
    builder.write("a").commit()
    culprit = read(builder)
    assert (culprit.parents, [file.status for file in culprit.files]) == ((), ["A"])


def test_culprit_with_a_long_diff_is_cut(builder: RepositoryBuilder) -> None:
    """And says so."""
    builder.commit().write("a", "line\n" * 5_000).commit()
    culprit = read(builder)
    assert (culprit.patch_cut, len(culprit.patch.split("\n"))) == (True, 200)
    assert culprit.files[0].added == 5_000


def test_culprit_names_whole_paths_only(builder: RepositoryBuilder) -> None:
    """A name inside a longer one is another file."""
    builder.commit()
    for path in ("a.md", "n", "b.md", "c.md"):
        builder.write(path)
    builder.commit()
    said = "docs/a.md and a.mdx are not in the plan; see `b.md`, and ./c.md."
    culprit = read(builder, Finding(message=said, fingerprint="1"))
    assert {file.path for file in culprit.files if file.named} == {"b.md", "c.md"}


TRIAL = TriedCommit(
    commit="b" * 40, subject="Break\x1b[2J it", standing=TrialVerdict.BAD, outcome=Outcome.FAIL, summary="wrong"
)
CULPRIT = Culprit(
    commit="b" * 40,
    author="Eve\u202e",
    author_email="eve@example.org",
    date="2026-03-05T11:30:00+00:00",
    subject="Break it",
    body="Break it\n\nat last",
    findings=(Finding(message="a.md is wrong", fingerprint="1", evidence=(Evidence(path="a.md", line=3),)),),
    summary="a.md is wrong",
    files=(
        CulpritFile(status="M", path="z.md", added=1, deleted=2),
        CulpritFile(status="R", path="a.md", old_path="b.md", named=True),
    ),
    patch="\n".join(["@@ -1 +1 @@", "-old", "+new", *(f" line {number}" for number in range(60))]),
)
REPORT = BisectReport(
    check="hashes-hold",
    end=BisectEnd.FOUND,
    way=BisectWay.TREES,
    good="a" * 40,
    bad="b" * 40,
    between=9,
    trials=(TRIAL,),
    culprit=CULPRIT,
    assumed=("once it fails, it fails",),
    notes=("a note",),
)
LEFT = (CommitLine(commit="c" * 40, author="Ada", date="", subject="maybe"),)


def test_page_answers_first_and_says_what_it_rests_on() -> None:
    """Commit, author, findings, files with the named one first, the diff, the trials; nothing hidden is obeyed."""
    text = render_page(build_bisect_page(REPORT))
    assert text.startswith("bbbbbbb broke hashes-hold")
    for words in (
        "eve@example.org",
        "git show bbbbbbb",
        "at a.md:3",
        "b.md → a.md",
        "+new",
        "Assumptions",
        "a note",
    ):
        assert words in text
    assert text.index("b.md → a.md") < text.index("z.md")
    assert "… more: git show" in text
    assert "\x1b" not in text
    assert "\u202e" not in text


def test_page_shows_everything_when_asked() -> None:
    """The last line of the diff, and every finding and file."""
    many = tuple(CulpritFile(status="A", path=f"file-{number}") for number in range(30))
    findings = tuple(Finding(message=f"finding {number}", fingerprint=str(number)) for number in range(9))
    report = REPORT.model_copy(
        update={"culprit": CULPRIT.model_copy(update={"files": many, "findings": findings}), "left": LEFT * 20}
    )
    short, whole = (render_page(build_bisect_page(report, everything=everything)) for everything in (False, True))
    for words in ("line 59", "file-29", "finding 8"):
        assert (words in short, words in whole) == (False, True)
    for words in ("4 more findings", "18 more files", "8 more commits"):
        assert (words in short, words in whole) == (True, False)


@pytest.mark.parametrize(
    ("end", "words"),
    [
        (BisectEnd.ALWAYS, "fails at every commit in this clone"),
        (BisectEnd.NOT_FAILING, "does not fail at bbbbbbb"),
        (BisectEnd.RANGE, "one of 1 commit broke hashes-hold of H-3; they can't be told apart"),
        (BisectEnd.CANCELLED, "Stopped: "),
    ],
)
def test_every_end_is_said(end: BisectEnd, words: str) -> None:
    """Also for one handoff."""
    report = REPORT.model_copy(update={"end": end, "culprit": None, "left": LEFT, "handoff": "H-3"})
    assert words in describe_end(report)
    assert "of H-3" in describe_end(report)
    assert "Candidates" in render_page(build_bisect_page(report))


@pytest.mark.parametrize(
    ("trials", "words"),
    [
        ((TRIAL,), "hashes-hold fails at bbbbbbb; what broke it isn't known yet"),
        ((), "nothing is known about hashes-hold"),
    ],
)
def test_stopped_search_says_what_is_known(trials: tuple[TriedCommit, ...], words: str) -> None:
    """Also where nothing was narrowed down yet."""
    report = REPORT.model_copy(update={"end": BisectEnd.CANCELLED, "culprit": None, "trials": trials})
    assert f"Stopped: {words}" in describe_end(report)
