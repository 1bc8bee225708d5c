from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from handoff_tui.checks.run.check import ProgressCallbacks
from tests.support.command_line import InProcess
from tests.support.command_line import say as run_process
from tests.support.repositories import RepositoryBuilder
from tests.support.snapshots import RESULTS, build_lamp, write_junit


@pytest.fixture
def root(builder: RepositoryBuilder, say: InProcess) -> Path:
    """A pinned snapshot, and work since: a test is gone, the package has a new version, a file has another name."""
    folder = build_lamp(builder).folder
    digest = say("baseline", "capture", "--repo", folder, "--json").json["digest"]
    assert say("baseline", "pin", digest, "--repo", folder).code == 0
    write_junit(builder, test_on="").write("pyproject.toml", '[project]\nname = "lamp"\nversion = "1.1"\n')
    builder.step("mv", "src/lamp.py", "src/light.py").write("new.txt", "one\ntwo\n")
    return folder


def test_only_files_are_compared_where_only_files_are_asked_for(root: Path, say: InProcess) -> None:
    """With --stat or a path there is no record, and no word of tests."""
    for words in (("--stat",), ("src",), ("pyproject.toml", "--stat")):
        said = say("diff", *words, "--repo", root)
        assert said.code == 0, said.stderr
        assert "test_off" not in said.stdout
        read = say("diff", *words, "--repo", root, "--json").json
        assert "tests" not in read
        assert read["before"]["reason"] == "you pinned it"


@pytest.mark.parametrize(
    ("words", "paths"),
    [
        (("src",), ["src/light.py"]),
        (("src/lamp.py",), ["src/light.py"]),
        (("*.t*",), ["new.txt", "pyproject.toml"]),
        (("./new.txt", "src/"), ["new.txt", "src/light.py"]),
        ((".",), ["new.txt", "pyproject.toml", "src/light.py"]),
    ],
)
def test_paths_choose_files(root: Path, say: InProcess, words: tuple[str, ...], paths: list[str]) -> None:
    """A folder, a pattern, the former name, all of them."""
    read = say("diff", *words, "--repo", root, "--json").json
    assert [file["path"] for file in read["changed"]["files"]] == paths


def test_paths_count_from_the_folder_one_stands_in(root: Path, say: InProcess, monkeypatch: pytest.MonkeyPatch) -> None:
    """As git takes them."""
    monkeypatch.chdir(root / "src")
    assert [file["path"] for file in say("diff", "light.py", "--json").json["changed"]["files"]] == ["src/light.py"]


@pytest.mark.parametrize(
    ("words", "back"), [((), {"src/lamp.py"}), (("src",), {"src/lamp.py", "new.txt"}), (("*.txt",), {"src/light.py"})]
)
def test_patch_can_be_taken_back(root: Path, words: tuple[str, ...], back: set[str]) -> None:
    """What it prints is what git applies; only the named files, where some are named."""
    said = run_process("diff", "--patch", *words, "--repo", root)
    assert (said.code, said.stderr) == (0, "")
    subprocess.run(["git", "-C", str(root), "apply", "-R"], input=said.stdout.encode(), check=True)
    names = ("src/lamp.py", "src/light.py", "new.txt")
    assert {name for name in names if (root / name).exists()} == back


def test_long_differences_are_cut_and_it_is_said(builder: RepositoryBuilder, say: InProcess) -> None:
    """So many lines and files; named or asked for with --all, they are all there."""
    for name in ("a.txt", "b.txt", "c.txt"):
        builder.write(name, "".join(f"{name} {number}\n" for number in range(300)))
    root = builder.commit().folder
    for name in ("a.txt", "b.txt", "c.txt"):
        builder.write(name, "")
    said = say("diff", "--against", "HEAD", "--repo", root)
    assert "a.txt 299" in said.stdout
    assert "only the first 100 lines are shown" in said.stdout
    assert "c.txt 0" not in said.stdout
    assert said.stderr == "The lines of 1 more file are not shown. Name a file, or use --all.\n"
    for words in (("--all",), ("c.txt",)):
        assert "c.txt 299" in say("diff", "--against", "HEAD", *words, "--repo", root).stdout


def test_white_space_counts_or_not(builder: RepositoryBuilder, say: InProcess) -> None:
    """In the list as in the lines."""
    root = builder.write("a", "x = 1\ny = 2\n").commit().write("a", "x  =  1\ny = 3\n").folder
    words = ("diff", "a", "--against", "HEAD", "--repo", root)
    assert "Files changed  1 file, +2 -2" in say(*words).stdout
    assert "Files changed  1 file, +1 -1" in say(*words, "--whitespace", "ignore").stdout


def test_side_by_side_needs_room(builder: RepositoryBuilder, say: InProcess, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where there is none, it is one below the other, and that is said."""
    root = builder.write("a", "one\n").commit().write("a", "two\n").folder
    words = ("diff", "a", "-y", "--against", "HEAD", "--repo", root)
    monkeypatch.setenv("COLUMNS", "120")
    wide = say(*words)
    assert [line.count("│") for line in wide.stdout.splitlines() if "one" in line] == [1]
    assert any("one" in line and "two" in line for line in wide.stdout.splitlines())
    monkeypatch.setenv("COLUMNS", "80")
    narrow = say(*words)
    assert narrow.stderr == "Side by side needs 100 columns; old and new are shown one below the other.\n"
    assert not any("one" in line and "two" in line for line in narrow.stdout.splitlines())


def test_between_two_snapshots_the_work_tree_has_no_say(builder: RepositoryBuilder, say: InProcess) -> None:
    """And two commits have files alone."""
    root = build_lamp(builder).folder
    first = say("baseline", "capture", "--repo", root, "--json").json["digest"]
    write_junit(builder, test_on="", test_off="skipped").write("handoffs/H-1/H-1_RESULTS.md", RESULTS.format(tests=9))
    second = say("baseline", "capture", "--repo", root, "--json").json["digest"]
    write_junit(builder, test_on="failure").write("src/lamp.py", "light = 0\n")
    read = say("diff", "--between", first[:8], second[:8], "--repo", root, "--json").json
    assert (read["before"]["snapshot"], read["after"]["snapshot"]) == (first, second)
    assert read["tests"]["counts"] == {"newly-skipped": 1}
    assert [file["path"] for file in read["changed"]["files"]] == ["handoffs/H-1/H-1_RESULTS.md"]
    assert [claim["text"] for claim in read["claims"] if claim["agrees"] is False] == [
        "says 9 tests in all, the baseline had 2, there are 2 here; it said 2 before"
    ]
    commits = say("diff", "--between", "HEAD", "HEAD", "--repo", root, "--json").json
    assert (commits["tests"], commits["changed"]["files"]) == (None, [])


PASSED = "# Results: H-1\n\n## Status: PASS\n"


def capture(say: InProcess, root: Path) -> str:
    said = say("baseline", "capture", "--repo", root, "--json")
    assert said.code == 0, said.stderr
    digest = said.json["digest"]
    assert isinstance(digest, str)
    return digest


def test_snapshot_is_captured_listed_shown_and_pinned(builder: RepositoryBuilder, say: InProcess) -> None:
    """One after the other, by the beginning of its digest; the list says which is pinned."""
    root = builder.write("handoffs/H-1/H-1_RESULTS.md", PASSED).commit().folder
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
    root = builder.write("handoffs/H-1/H-1_RESULTS.md", PASSED).commit().folder
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
    assert "already stored with this content" in again.stdout
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
    monkeypatch.setattr("handoff_tui.cli.progress.ProgressCallbacks", lambda **_: telling)
    assert say("baseline", "capture", "--repo", root).code == 130
    assert not (root / ".handoff-tui").exists()


@pytest.fixture
def two_handoffs(builder: RepositoryBuilder) -> Path:
    """H-1 and H-2, each with a file of its own; nothing is pinned or approved."""
    builder.write("README.md").commit("start")
    for number in (1, 2):
        builder.write(f"src/{number}.py", f"value = {number}\n")
        builder.write(f"handoffs/H-{number}/H-{number}_RESULTS.md", f"# Results: H-{number}\n\n## Status: PASS\n")
        builder.commit(f"H-{number}: work")
    return builder.folder


def test_diff_of_a_handoff_is_its_own(two_handoffs: Path, say: InProcess) -> None:
    """In every form; no baseline is needed, and the other handoff is not in it."""
    words = ("diff", "--handoff", "h-2", "--repo", two_handoffs)
    page = say(*words).stdout
    assert page.startswith("H-2\nthe handoff's own changes\n")
    assert ("+ value = 2" in page, "value = 1" in page) == (True, False)
    assert "Files changed  2 files" in say(*words, "--stat").stdout
    assert "+ value = 2" in say(*words, "src/2.py", "-y").stdout
    read = say(*words, "--json").json
    assert (read["scope"], read["own"]["handoff"], len(read["own"]["commits"])) == ("own", "H-2", 1)
    assert [file["path"] for file in read["changed"]["files"]] == ["handoffs/H-2/H-2_RESULTS.md", "src/2.py"]
    assert read["tests"] is None
    other = say(*words, "src/1.py")
    assert (other.code, "no changed file matches" in other.stderr) == (2, True)


def test_patch_of_a_handoff_can_be_taken_back(two_handoffs: Path) -> None:
    """It removes that handoff's work, and no other."""
    said = run_process("diff", "--patch", "--handoff", "H-2", "--repo", two_handoffs)
    subprocess.run(["git", "-C", str(two_handoffs), "apply", "-R"], input=said.stdout.encode(), check=True)
    assert [(two_handoffs / f"src/{number}.py").exists() for number in (1, 2)] == [True, False]


def test_whole_repository_is_compared_where_it_is_asked_for(two_handoffs: Path, say: InProcess) -> None:
    """With --all, or against something that is named."""
    words = ("diff", "--handoff", "H-2", "--repo", two_handoffs, "--json")
    assert say(*words, "--all").json["scope"] == "since-baseline"
    assert say(*words, "--since", "baseline").json["scope"] == "since-baseline"
    between = say(*words, "--against", "HEAD~2", "--stat").json
    assert (between["scope"], len(between["changed"]["files"])) == ("between", 4)
