from __future__ import annotations

import pytest

from handoff_tui.checks.result import Evidence, Finding, Outcome
from handoff_tui.history.bisect.page import build_bisect_json, build_bisect_page, build_bisect_progress, describe_end
from handoff_tui.history.bisect.report import (
    BisectEnd,
    BisectProgress,
    BisectReport,
    BisectWay,
    CommitLine,
    Culprit,
    CulpritFile,
    Trial,
    TrialVerdict,
)
from tests.support.pages import render_page

TRIAL = Trial(
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


def test_culprit_without_findings_is_told_by_its_summary() -> None:
    """A command that says nothing."""
    report = REPORT.model_copy(update={"culprit": CULPRIT.model_copy(update={"findings": (), "patch": ""})})
    text = render_page(build_bisect_page(report))
    assert "a.md is wrong" in text
    assert "Diff" not in text


def test_progress_is_one_line() -> None:
    """While a passing commit is looked for, and while halves are halved."""
    looking = BisectProgress(tried=1, left=0, steps=0, commit="b" * 40, standing=TrialVerdict.BAD)
    assert build_bisect_progress(looking) == "bisect: bbbbbbb bad · searching for a commit that passes"
    halving = looking.model_copy(update={"left": 12, "steps": 4, "standing": TrialVerdict.UNTESTABLE})
    assert build_bisect_progress(halving) == "bisect: bbbbbbb untestable · 12 commits left, about 4 steps"


def test_json_is_the_report_under_its_name() -> None:
    """Values that are not there are null."""
    value = build_bisect_json(REPORT)
    assert (value["schema"], value["end"], value["handoff"]) == ("handoff-tui/bisect/v1", "found", None)


@pytest.mark.parametrize(
    ("standings", "untried", "words"),
    [
        ((TrialVerdict.BAD,) * 8, 33, "hashes-hold failed at all 8 commits tried; 33 were not tried"),
        (
            (TrialVerdict.BAD, TrialVerdict.UNTESTABLE),
            1,
            "1 of 2 commits tried can't be tested; 1 was not tried",
        ),
    ],
)
def test_search_without_a_good_commit_says_how_far_it_looked(
    standings: tuple[TrialVerdict, ...], untried: int, words: str
) -> None:
    """Never that it always failed."""
    trials = tuple(TRIAL.model_copy(update={"standing": standing}) for standing in standings)
    changes = {"end": BisectEnd.UNKNOWN, "culprit": None, "trials": trials, "untried": untried}
    assert describe_end(REPORT.model_copy(update=changes)).endswith(words)


@pytest.mark.parametrize(
    ("trials", "words"),
    [
        ((TRIAL,), "hashes-hold fails at bbbbbbb; what broke it isn't known yet"),
        ((), "nothing is known about hashes-hold"),
    ],
)
def test_stopped_search_says_what_is_known(trials: tuple[Trial, ...], words: str) -> None:
    """Also where nothing was narrowed down yet."""
    report = REPORT.model_copy(update={"end": BisectEnd.CANCELLED, "culprit": None, "trials": trials})
    assert f"Stopped: {words}" in describe_end(report)
