from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from handoff_tui.checks.run.choose import CheckRequest
from handoff_tui.core.errors import BisectError, UsageError
from handoff_tui.handoffs.session import open_session
from handoff_tui.history.bisect import bisect as bisect_module
from handoff_tui.history.bisect.bisect import BisectControl, BisectRequest, bisect
from handoff_tui.history.bisect.page import describe_end
from handoff_tui.history.bisect.report import BisectEnd, BisectProgress, BisectReport, BisectWay, TrialVerdict
from handoff_tui.history.travel.travel import Traveller
from tests.support.histories import SCRIPT, History, Told, ask_git, build_history
from tests.support.repositories import RepositoryBuilder

VANISHED = "dropped-counts-explained"
"""A check that fails in the sample since the tide table was packaged."""


def run(folder: Path, check: str, **words: str) -> BisectReport:
    return follow(folder, BisectControl(), check, **words)


def follow(folder: Path, telling: BisectControl, check: str, **words: str) -> BisectReport:
    return bisect(open_session(folder), BisectRequest(check, **words), telling)


@pytest.fixture
def script(isolated_user: Path) -> str:
    """A command of the user's own that ends as the commit says; its id."""
    folder = isolated_user / "config" / "handoff-tui"
    folder.mkdir(parents=True)
    text = f"[checks.verdict]\nrun = {json.dumps(['sh', '-c', SCRIPT])}\nenvironment = ['PATH']\n"
    (folder / "config.toml").write_text(text, encoding="utf-8")
    return "verdict"


def build_line(tmp_path: Path, verdicts: str) -> History:
    """A commit for each letter: good, bad or skip."""
    words = {"g": "good", "b": "bad", "s": "skip"}
    told = [Told((number - 1,) if number else (), words[one]) for number, one in enumerate(verdicts)]
    return build_history(tmp_path / "line", told)


def test_bisect_finds_the_planted_failure_of_the_sample(sample_repository: Path) -> None:
    """Who packaged the tide table lost two tests without a word; the diff and the findings say so."""
    told: list[BisectProgress] = []
    report = follow(sample_repository, BisectControl(on_progress=told.append), VANISHED)
    culprit = report.culprit
    assert culprit is not None
    assert (report.end, report.way, culprit.author) == (BisectEnd.FOUND, BisectWay.TREES, "heron")
    assert culprit.subject == "Package the tide table (FMWK-002)"
    assert "2 tests fewer" in culprit.summary
    assert [file.path for file in culprit.files if file.named] == ["handoffs/FMWK-002/RESULTS.md"]
    assert "Total tests (all staged): 31" in culprit.patch
    assert [progress.tried for progress in told] == list(range(1, len(report.trials) + 1))
    assert "were not tried" in report.assumed[0]


def test_bisect_agrees_with_git_on_a_command(tmp_path: Path, script: str) -> None:
    """The same script, the same commit; the work tree of the trials is gone, and the repository is as it was."""
    told = [
        Told((), "good"),
        Told((0,), "good"),
        Told((0,), "good"),
        Told((2,), "bad"),
        Told((1, 3), "bad"),
        Told((4,), "bad"),
    ]
    history = build_history(tmp_path / "merged", told)
    before = history.builder.git("status", "--porcelain")
    report = run(history.builder.folder, script, good=history.commits[0])
    assert report.way is BisectWay.WORK_TREE
    assert {report.bad} == ask_git(history, history.commits[0], history.commits[-1]) == {history.commits[3]}
    assert history.builder.git("status", "--porcelain") == before
    assert not (history.builder.folder / ".git" / "worktrees").exists()


def test_bisect_says_a_range_where_it_cannot_be_told(tmp_path: Path, script: str) -> None:
    """Exit code 125, as for git."""
    history = build_line(tmp_path, "ggssbb")
    report = run(history.builder.folder, script)
    assert (report.end, report.culprit) == (BisectEnd.RANGE, None)
    assert [one.commit for one in report.left] == [history.commits[number] for number in (4, 3, 2)]
    assert report.good == history.commits[1]
    assert "can't be tested" in report.notes[0]
    assert {trial.standing for trial in report.trials} == set(TrialVerdict)


def test_bisect_says_that_it_always_failed(tmp_path: Path, script: str) -> None:
    """As far back as there are commits; a single commit is tried once."""
    report = run(build_line(tmp_path, "bbb").builder.folder, script)
    assert (report.end, report.good, len(report.trials)) == (BisectEnd.ALWAYS, None, 3)


def test_bisect_finds_a_good_stretch_between_the_doublings(tmp_path: Path, script: str) -> None:
    """It failed long ago, was mended, and fails again: the newest beginning, although 1, 2, 4 and so on all fail."""
    history = build_line(tmp_path, "b" * 10 + "g" * 15 + "b" * 16)
    report = run(history.builder.folder, script)
    assert (report.end, report.bad) == (BisectEnd.FOUND, history.commits[25])
    assert len(report.trials) < 20


@pytest.mark.parametrize(("verdicts", "tried", "words"), [("sssb", 4, 3), ("bsbb", 4, 1)])
def test_bisect_does_not_say_always_where_it_cannot_be_told(
    tmp_path: Path, script: str, verdicts: str, tried: int, words: int
) -> None:
    """A commit at which it cannot be told may be a good one."""
    report = run(build_line(tmp_path, verdicts).builder.folder, script)
    assert (report.end, report.good, len(report.trials), report.untried) == (BisectEnd.UNKNOWN, None, tried, 0)
    assert f"{words} of {tried} commits tried can't be tested" in describe_end(report)


def test_bisect_does_not_say_always_of_what_it_did_not_try(
    tmp_path: Path, script: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A command is tried so often and no more; what came in by merges is not tried."""
    told = [Told((), "bad"), Told((0,), "bad"), Told((0,), "good"), Told((1, 2), "bad"), Told((3,), "bad")]
    folder = build_history(tmp_path / "merged", told).builder.folder
    merged = run(folder, script)
    assert (merged.end, len(merged.trials), merged.untried) == (BisectEnd.UNKNOWN, 4, 1)
    assert "through merges" in merged.notes[0]
    monkeypatch.setattr(bisect_module, "_MOST_LOOKED", {BisectWay.WORK_TREE: 2})
    few = run(folder, script)
    assert (few.end, few.untried) == (BisectEnd.UNKNOWN, 2)
    assert describe_end(few) == "verdict failed at all 3 commits tried; 2 were not tried"


def test_bisect_says_that_it_does_not_fail(tmp_path: Path, script: str) -> None:
    """Where there are uncommitted changes, that they may be why."""
    history = build_line(tmp_path, "bg")
    assert run(history.builder.folder, script).notes == ()
    history.builder.write("verdict", "bad\n")
    report = run(history.builder.folder, script)
    assert (report.end, report.bad) == (BisectEnd.NOT_FAILING, history.commits[1])
    assert "they may be why" in report.notes[0]


def test_bisect_says_that_time_alone_has_done_it(builder: RepositoryBuilder) -> None:
    """A lock that was fresh when it was committed: neither a commit nor what is uncommitted is why it is stale."""
    moment = datetime.fromtimestamp(builder.moment, UTC).isoformat()
    builder.write(".tdd.lock", json.dumps({"holder": "maker", "acquired_at": moment})).commit()
    builder.write("uncommitted")
    report = run(builder.folder, "lock-not-stale")
    assert report.end is BisectEnd.NOT_FAILING
    assert [note.partition(":")[0] for note in report.notes] == ["it depends on the clock"]


def test_bisect_says_that_history_goes_back_and_forth(tmp_path: Path, script: str) -> None:
    """The parent of a merge fails as well, since its line was not tried: one of several beginnings."""
    told = [Told((), "good"), Told((0,), "bad"), Told((1,), "good"), Told((1, 2), "bad")]
    history = build_history(tmp_path / "wavy", told)
    report = run(history.builder.folder, script, good=history.commits[2])
    assert report.bad == history.commits[3]
    assert any("fails too" in note for note in report.notes)


@pytest.mark.parametrize(
    ("verdicts", "good", "bad", "words"),
    [
        ("gbb", 1, 2, "also fails"),
        ("ggs", 0, 2, "can't tell"),
    ],
)
def test_bisect_refuses_ends_that_do_not_fit(
    tmp_path: Path, script: str, verdicts: str, good: int, bad: int, words: str
) -> None:
    """Both ends are tried before anything is searched."""
    history = build_line(tmp_path, verdicts)
    with pytest.raises(BisectError, match=words):
        run(history.builder.folder, script, good=history.commits[good], bad=history.commits[bad])


def test_bisect_takes_a_word_for_what_it_cannot_tell(tmp_path: Path, script: str) -> None:
    """And says so."""
    history = build_line(tmp_path, "sggb")
    report = run(history.builder.folder, script, good=history.commits[0])
    assert (report.bad, report.end) == (history.commits[3], BisectEnd.FOUND)
    assert "as you said" in report.assumed[0]


@pytest.mark.parametrize(("base", "words"), [("good", ""), ("bad", "already fails at"), ("skip", "")])
def test_bisect_tries_where_lines_parted(tmp_path: Path, script: str, base: str, words: str) -> None:
    """A good commit on another branch proves nothing about this one, its common ancestor does."""
    told = [Told((), base), Told((0,), "good"), Told((0,), "good"), Told((2,), "bad")]
    history = build_history(tmp_path / "parted", told)
    arguments = {"good": history.commits[1], "bad": history.commits[3]}
    if words:
        with pytest.raises(BisectError, match=words):
            run(history.builder.folder, script, **arguments)
        return
    report = run(history.builder.folder, script, **arguments)
    assert report.bad == history.commits[3]
    assert any("merge base" in line for line in report.assumed) == (base == "skip")


def test_bisect_stops_when_it_is_told_to(tmp_path: Path, script: str) -> None:
    """What is known by then is said."""
    history = build_line(tmp_path, "ggggggggbbbbbbbb")
    telling = BisectControl()

    def stop(progress: BisectProgress) -> None:
        if progress.left:
            telling.cancel.set()

    telling.on_progress = stop
    report = follow(history.builder.folder, telling, script, good=history.commits[0])
    assert (report.end, report.culprit, report.between) == (BisectEnd.CANCELLED, None, 15)
    assert 1 < len(report.left) < 15


def test_bisect_looks_for_one_finding_among_others(builder: RepositoryBuilder) -> None:
    """A commit that fails for something else is good by that."""
    note = "# Handoff\n\n**Status**: COMPLETE\n\n## Files created\n\n- `first.py`\n"
    builder.commit("nothing").write("HANDOFF.md", note).commit("one file").write("a").commit("between")
    builder.write("HANDOFF.md", f"{note}- `second.py`\n").commit("another file").write("b").commit("after")
    check = "referenced-files-exist"
    whole = run(builder.folder, check, bad="HEAD").culprit
    assert whole is not None
    assert whole.subject == "one file"
    with pytest.raises(UsageError, match=f"at {builder.head('HEAD~1')[:7]} has the fingerprint zzzz") as refused:
        run(builder.folder, check, good="HEAD~4", bad="HEAD~1", finding="zzzz")
    desk = open_session(builder.folder)
    results = Traveller(desk).check(Traveller(desk).find_stop("HEAD"), CheckRequest(only=(check,))).results
    wanted = next(one for one in results[0].findings if "second.py" in one.message).fingerprint
    assert wanted in (refused.value.hint or "")
    assert run(builder.folder, check, bad="HEAD~4", finding="zzzz").end is BisectEnd.NOT_FAILING
    found = run(builder.folder, check, finding=wanted[:12]).culprit
    assert found is not None
    assert found.subject == "another file"


def test_bisect_of_one_handoff_leaves_the_others_out(sample_repository: Path) -> None:
    """Claims of others fail earlier."""
    report = run(sample_repository, "claims-hold", handoff="fmwk-002", good="HEAD~10", bad="HEAD~8")
    assert report.culprit is not None
    assert report.culprit.subject == "Package the tide table (FMWK-002)"


def test_bisect_refuses_what_is_no_check_and_no_history(
    sample_repository: Path, builder: RepositoryBuilder, script: str
) -> None:
    """With the nearest name; a check about what no commit holds says why it cannot be searched."""
    with pytest.raises(UsageError, match="did you mean hashes-hold"):
        run(sample_repository, "hash-holds")
    with pytest.raises(BisectError, match="is in no commit"):
        run(sample_repository, "nothing-unpushed")
    with pytest.raises(UsageError, match="isn't about one handoff"):
        run(sample_repository, script, handoff="H-3")
    with pytest.raises(BisectError, match="No commit yet"):
        run(builder.folder, script)
