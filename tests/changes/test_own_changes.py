"""A handoff's own diff: from where it began to its result, over its own files alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from handoff_tui.changes.comparison.snapshot_diff import DiffScope
from handoff_tui.changes.diff import ChangesReport, DiffRequest, diff, write_own_sides
from handoff_tui.core.errors import HandoffNotFoundError, UsageError
from handoff_tui.git.file_diff import DiffOptions
from handoff_tui.handoffs.scope.scope import Scopes
from handoff_tui.handoffs.session import open_session
from tests.support.fingerprint import compare_fingerprints, read_fingerprint
from tests.support.gates import CODE, GateDesk
from tests.support.gates import HANDOFF as GATED
from tests.support.repositories import RepositoryBuilder
from tests.support.signed import Person

RESULTS = "# Results: {handoff}\n\n## Status: PASS\n"


def results(handoff: str) -> str:
    return f"handoffs/{handoff}/{handoff}_RESULTS.md"


def hand_over(builder: RepositoryBuilder, handoff: str, **files: str) -> str:
    """A commit of a handoff: its report and some files; a dot in a name is written as two underscores."""
    for name, content in files.items():
        builder.write(name.replace("__", "."), content)
    report = builder.place(results(handoff))
    text = report.read_text() if report.exists() else RESULTS.format(handoff=handoff)
    return builder.write(results(handoff), text + "\nMore.\n").commit(f"{handoff}: work").head()


@pytest.fixture
def story(builder: RepositoryBuilder) -> RepositoryBuilder:
    """H-1 and H-2, each with a file of its own, and one that passes from the first to the second."""
    builder.write("README.md").write("old.py", "old = 1\n").commit("start")
    hand_over(builder, "H-1", one__py="one = 1\n", both__py="both = 1\n")
    hand_over(builder, "H-2", two__py="two = 2\n", both__py="both = 2\n")
    return builder


def own(folder: Path, handoff: str = "H-1") -> ChangesReport:
    return diff(open_session(folder), DiffRequest(handoff=handoff, scope=DiffScope.OWN))


def list_paths(found: ChangesReport) -> list[str]:
    assert found.files is not None
    return [change.path for change in found.files.listed.changes]


def read_lines(found: ChangesReport, path: str) -> list[str]:
    """The changed lines of a file with their marks."""
    assert found.files is not None
    [change] = [change for change in found.files.listed.changes if change.path == path]
    hunks = found.files.read_file(change, DiffOptions()).hunks
    return [line.mark + line.text for hunk in hunks for line in hunk.lines if line.mark != " "]


def test_diff_has_the_files_of_the_handoff_alone(story: RepositoryBuilder) -> None:
    """Nothing of the other one, and looking changes nothing in the repository."""
    before = read_fingerprint(story.folder)
    found = own(story.folder)
    assert list_paths(found) == ["both.py", results("H-1"), "one.py"]
    assert found.pair.before.commit == story.head("HEAD~2")
    assert (found.record, found.notes) == (None, ())
    assert compare_fingerprints(before, read_fingerprint(story.folder)) == []


def test_shared_path_ends_where_the_handoff_left_it(story: RepositoryBuilder) -> None:
    """The next handoff begins there; whoever looks at the first is told about the second."""
    first, second = own(story.folder), own(story.folder, "H-2")
    assert read_lines(first, "both.py") == ["+both = 1"]
    assert read_lines(second, "both.py") == ["-both = 1", "+both = 2"]
    assert first.own is not None
    assert first.own.notes == ("H-2 changed both.py afterwards; that is not part of this diff",)
    assert second.own is not None
    assert second.own.notes == ()


def test_change_of_another_in_between_is_told(story: RepositoryBuilder) -> None:
    """It is part of the diff, since the handoff went on from there."""
    hand_over(story, "H-1", both__py="both = 3\n")
    found = own(story.folder)
    assert found.own is not None
    assert found.own.between == {"both.py": ("H-2",)}
    assert "H-2 also changed both.py in between; that is part of this diff" in found.own.notes
    assert read_lines(found, "both.py") == ["+both = 3"]


def test_commit_that_names_two_handoffs_is_shared(builder: RepositoryBuilder) -> None:
    """Each has it in its diff, and is told about the other."""
    builder.write("README.md").commit("start")
    hand_over(builder, "H-1", one__py="1\n")
    hand_over(builder, "H-2", two__py="2\n")
    builder.write("common.py", "x\n").commit("H-1, H-2: together")
    for handoff, other in (("H-1", "H-2"), ("H-2", "H-1")):
        found = own(builder.folder, handoff)
        assert "common.py" in list_paths(found)
        assert found.own is not None
        assert f"shared with {other}: common.py" in found.own.notes


def test_uncommitted_work_is_compared_as_it_lies_there(story: RepositoryBuilder) -> None:
    """Edits, deletions and links, whatever attributes say about line ends. They go to the report being written."""
    story.write(".gitattributes", "* text=auto eol=lf\n").write("one.py", b"one = 2\r\n").link("link", "one.py")
    story.place("both.py").unlink()
    story.write(results("H-2"), RESULTS.format(handoff="H-2") + "\nEven more.\n")
    found = own(story.folder, "H-2")
    assert read_lines(found, "one.py") == ["-one = 1", "+one = 2\r"]
    assert read_lines(found, "both.py") == ["-both = 1"]
    assert {"link", ".gitattributes"} <= set(list_paths(found))
    assert found.pair.after is not None
    assert found.pair.after.reason == "6 own files after its last change (1 commit, 5 uncommitted files)"


def test_rename_and_deletion_are_told_as_such(story: RepositoryBuilder) -> None:
    """As in any diff."""
    text = "".join(f"line {number}\n" for number in range(9))
    hand_over(story, "H-3", three__py=text)
    story.step("mv", "three.py", "four.py").step("rm", "-q", "old.py")
    hand_over(story, "H-4")
    found = own(story.folder, "H-4")
    assert found.files is not None
    told = {change.path: (change.status, change.old_path) for change in found.files.listed.changes}
    assert told["four.py"] == ("R", "three.py")
    assert told["old.py"] == ("D", None)


def test_file_where_a_folder_was_is_compared(story: RepositoryBuilder) -> None:
    """Both sides are trees of their own."""
    story.step("rm", "-q", "old.py")
    hand_over(story, "H-3", **{"old__py/inner__py": "inner = 1\n"})
    assert {"old.py", "old.py/inner.py"} <= set(list_paths(own(story.folder, "H-3")))


def test_handoff_without_changes_has_two_empty_sides(builder: RepositoryBuilder) -> None:
    """And says so."""
    sides = write_own_sides(open_session(builder.write("a").commit().folder), Scopes({}, head=builder.head()), "H-1")
    assert sides.before == sides.after
    assert sides.pair.before.reason == "it has no changes of its own"


def test_repository_without_commits_has_own_diffs(builder: RepositoryBuilder) -> None:
    """Everything is new."""
    builder.write(results("H-1"), RESULTS.format(handoff="H-1")).write("one.py", "one = 1\n")
    assert list_paths(own(builder.folder)) == [results("H-1"), "one.py"]


def test_handoff_has_to_be_named(story: RepositoryBuilder) -> None:
    """By a name that there is."""
    with pytest.raises(UsageError, match="need a handoff"):
        diff(open_session(story.folder), DiffRequest(scope=DiffScope.OWN))
    with pytest.raises(HandoffNotFoundError, match="H-9"):
        own(story.folder, "H-9")


def since(desk: GateDesk, scope: DiffScope, *, whole: bool = False) -> ChangesReport:
    return diff(open_session(desk.root), DiffRequest(handoff=GATED, scope=scope, files_only=True, whole=whole))


@pytest.mark.parametrize("scope", [DiffScope.SINCE_MY_REVIEW, DiffScope.SINCE_PREVIOUS_ATTEMPT])
def test_diff_since_a_decision_is_about_the_handoff_alone(gate_desk: GateDesk, bo: Person, scope: DiffScope) -> None:
    """Other people's work since then is only in the diff of the whole repository."""
    gate_desk.decide(bo, "reject", "--reason", "not yet")
    gate_desk.commit_log()
    gate_desk.builder.write("elsewhere.py", "x\n").commit("somebody else")
    gate_desk.change(CODE + "# more\n")
    found = since(gate_desk, scope)
    assert list_paths(found) == ["src/app.py"]
    assert read_lines(found, "src/app.py") == ["+# more"]
    assert "decided reject on attempt 1" in found.pair.before.reason
    assert "elsewhere.py" in list_paths(since(gate_desk, scope, whole=True))


def test_uncommitted_work_that_was_decided_on_is_known_when_it_is_committed(gate_desk: GateDesk, bo: Person) -> None:
    """By its hash in the review record."""
    gate_desk.builder.write("src/app.py", CODE + "# not committed\n")
    gate_desk.decide(bo, "approve")
    gate_desk.builder.commit("as approved")
    assert list_paths(since(gate_desk, DiffScope.SINCE_MY_REVIEW)) == []


@pytest.mark.parametrize(
    ("scope", "reason"),
    [
        (DiffScope.SINCE_MY_REVIEW, f"the log has no earlier review of yours of {GATED}"),
        (DiffScope.SINCE_PREVIOUS_ATTEMPT, "this is the first attempt in the log"),
    ],
)
def test_diff_since_nothing_says_so(gate_desk: GateDesk, bo: Person, scope: DiffScope, reason: str) -> None:
    """There is no decision to begin at."""
    gate_desk.gate(bo)
    found = since(gate_desk, scope)
    assert (found.files, found.pair.before.reason) == (None, reason)
