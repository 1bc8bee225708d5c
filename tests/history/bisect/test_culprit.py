from __future__ import annotations

from handoff_tui.checks.result import CheckResult, Evidence, Finding, Outcome
from handoff_tui.core.severity import Severity
from handoff_tui.handoffs.session import open_desk
from handoff_tui.history.bisect.bisect import read_culprit
from handoff_tui.history.bisect.report import Culprit
from handoff_tui.history.travel.past_session import find_commit
from tests.support.repositories import AUTHOR, EMAIL, RepositoryBuilder


def read(builder: RepositoryBuilder, *findings: Finding, commit: str = "HEAD") -> Culprit:
    result = CheckResult(
        id="a", outcome=Outcome.FAIL, severity=Severity.HIGH, blocking=True, summary="it fails", findings=findings
    )
    desk = open_desk(builder.folder)
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
