from __future__ import annotations

from pathlib import Path

import pytest

from handoff_tui.checks.run.check import ProgressCallbacks
from tests.support.in_process import InProcess
from tests.support.repositories import RepositoryBuilder

RESULTS = "# Results: H-1\n\n## Status: PASS\n"


def capture(say: InProcess, root: Path) -> str:
    said = say("baseline", "capture", "--repo", root, "--json")
    assert said.code == 0, said.stderr
    digest = said.json["digest"]
    assert isinstance(digest, str)
    return digest


def test_snapshot_is_captured_listed_shown_and_pinned(builder: RepositoryBuilder, say: InProcess) -> None:
    """One after the other, by the beginning of its digest; the list says which is pinned."""
    root = builder.write("handoffs/H-1/H-1_RESULTS.md", RESULTS).commit().folder
    digest = capture(say, root)
    assert (root / ".handoff-tui/baselines" / f"{digest}.json").is_file()
    [listed] = say("baseline", "list", "--repo", root, "--json").json["snapshots"]
    assert (listed["digest"], listed["commit"], listed["pinned"]) == (digest, builder.head(), False)
    assert listed["date"].startswith("2025-06-15")
    assert say("baseline", "show", digest[:6], "--repo", root, "--json").json["snapshot"]["commit"] == builder.head()
    assert say("baseline", "pin", digest[:6], "--repo", root).stdout.startswith(
        f"every handoff: compared with {digest[:12]}"
    )
    assert say("baseline", "list", "--repo", root, "--json").json["snapshots"][0]["pinned_for"] == ["*"]


def test_pin_of_one_handoff_is_its_own(builder: RepositoryBuilder, say: InProcess) -> None:
    """Taken away alone; the id may be written as in the files."""
    root = builder.write("handoffs/H-1/H-1_RESULTS.md", RESULTS).commit().folder
    digest = capture(say, root)
    pinned = say("baseline", "pin", digest, "--handoff", "h-1", "--repo", root, "--json").json
    assert (pinned["handoff"], pinned["digest"]) == ("H-1", digest)
    say("baseline", "pin", digest, "--repo", root)
    said = say("baseline", "pin", "--none", "--handoff", "H-1", "--repo", root)
    assert said.stdout == "H-1: compared with the last approved snapshot again\n"
    assert say("baseline", "list", "--repo", root, "--json").json["snapshots"][0]["pinned_for"] == ["*"]


def test_same_content_is_stored_once(builder: RepositoryBuilder, say: InProcess) -> None:
    """It is said that it was there already."""
    root = builder.write("a").commit().folder
    assert "  stored\n" in say("baseline", "capture", "--repo", root).stdout
    again = say("baseline", "capture", "--repo", root)
    assert "stored before, with just this content" in again.stdout
    assert "baseline pin" in again.stderr
    assert len(say("baseline", "list", "--repo", root, "--json").json["snapshots"]) == 1


def test_snapshots_are_listed_newest_first(builder: RepositoryBuilder, say: InProcess) -> None:
    """By the dates of their commits."""
    root = builder.write("a").commit().folder
    commits = []
    for number in range(3):
        commits.append(builder.write("b", str(number)).commit().head())
        capture(say, root)
    listed = say("baseline", "list", "--repo", root, "--json").json["snapshots"]
    assert [one["commit"] for one in listed] == commits[::-1]


def test_cancelled_capture_stores_nothing(
    builder: RepositoryBuilder, say: InProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-C leaves no half of a baseline."""
    root = builder.write("a").commit().folder
    telling = ProgressCallbacks()
    telling.cancel.set()
    monkeypatch.setattr("handoff_tui.cli.progress.Telling", lambda **_: telling)
    assert say("baseline", "capture", "--repo", root).code == 130
    assert not (root / ".handoff-tui").exists()
