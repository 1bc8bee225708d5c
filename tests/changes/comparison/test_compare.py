from __future__ import annotations

from handoff_tui.changes.comparison.compare import compare_snapshots
from handoff_tui.changes.comparison.explain import Explanations, build_explanations
from handoff_tui.changes.comparison.snapshot_diff import Change, Item, NotRead, Section, SnapshotDiff
from handoff_tui.changes.snapshots.snapshot import FindingRecord, Snapshot, Unread
from handoff_tui.git.file_diff import FileChange
from tests.support.snapshots import build_snapshot, build_tests

_SILENT = Explanations()


def compare(before: Snapshot, after: Snapshot, text: str = "") -> SnapshotDiff:
    return compare_snapshots(before, after, build_explanations([], [("results.md", text)]))


def only(section: Section) -> Item:
    (item,) = section.items
    return item


def test_every_kind_of_thing_is_compared_with_its_totals() -> None:
    """Tests, checks, findings, packages, dependencies, files and measures each have a section."""
    diff = compare(build_tests("a", "b"), build_tests("b", "c"))
    assert list(diff.sections) == ["tests", "checks", "findings", "packages", "dependencies", "files", "measures"]
    assert (diff.tests.before_total, diff.tests.after_total, diff.tests.unchanged) == (2, 2, 1)


def test_check_outcomes_are_told_by_what_they_mean() -> None:
    """A check that fails now, one that passes again, one that no longer judges, one that does not apply."""
    before = build_snapshot(checks={"a": "pass", "b": "error", "c": "pass", "d": "fail", "e": "skipped", "f": "fail"})
    after = build_snapshot(
        checks={"a": "timeout", "b": "pass", "c": "skipped", "d": "not-applicable", "e": "unknown", "f": "error"}
    )
    changes = {item.id: (item.change, item.explained) for item in compare(before, after).checks.items}
    assert changes == {
        "a": (Change.NEWLY_FAILING, None),
        "b": (Change.FIXED, None),
        "c": (Change.NEWLY_SKIPPED, False),
        "d": (Change.CHANGED, None),
        "e": (Change.CHANGED, None),
        "f": (Change.CHANGED, None),
    }


def test_removed_check_is_explained_where_a_handoff_names_it() -> None:
    """With the line that does; another check that is gone stays unexplained."""
    before = build_snapshot(checks={"claims-hold": "pass", "own-check": "pass"})
    diff = compare(before, build_snapshot(), "# Notes\n\nDropped the check `own-check`, which never ran.\n")
    assert [(item.id, item.explained, str(item.explanation)) for item in diff.checks.items] == [
        ("claims-hold", False, "None"),
        ("own-check", True, "results.md:3"),
    ]
    assert [item.id for item in diff.unexplained] == ["claims-hold"]


def test_finding_is_fixed_only_if_its_check_still_looked() -> None:
    """A finding whose check gave no verdict has vanished, which is not the same."""
    found = {
        name: FindingRecord(check=check, message="x")
        for name, check in (("1", "a"), ("2", "b"), ("3", "c"), ("4", "d"))
    }
    before = build_snapshot(findings=found)
    after = build_snapshot(findings={"9": found["1"]}, checks={"a": "fail", "b": "error", "d": "pass"})
    changes = {item.id: item.change for item in compare(before, after).findings.items}
    assert changes == {
        "1": Change.FIXED,
        "2": Change.VANISHED,
        "3": Change.VANISHED,
        "4": Change.FIXED,
        "9": Change.NEW,
    }


def test_declared_file_that_is_gone_is_a_drop() -> None:
    """Explained by its path, by its name where no other file bears it, or by a folder that is gone with it."""
    before = build_snapshot(files={"a/x.py": "sha256:1", "b/x.py": "sha256:2", "old/y.py": "sha256:3"})
    after = build_snapshot(files={"c/x.py": "sha256:4"})
    text = "## Deleted\n\n- a/x.py\n- x.py\n- the folder old/\n"
    explained = {item.id: item.explained for item in compare(before, after, text).files.items}
    assert explained == {"a/x.py": True, "b/x.py": False, "old/y.py": True, "c/x.py": None}


def test_declared_file_with_the_same_content_elsewhere_is_renamed() -> None:
    """Where one left and one came; two that could be it are left alone."""
    before = build_snapshot(files={"a": "sha256:1", "b": "sha256:2"})
    after = build_snapshot(files={"c": "sha256:1", "d": "sha256:2", "e": "sha256:2"})
    changes = {item.id: (item.change, item.old_id) for item in compare(before, after).files.items}
    assert changes["c"] == (Change.RENAMED, "a")
    assert changes["b"] == (Change.REMOVED, None)
    assert changes["d"] == changes["e"] == (Change.NEW, None)


def test_file_that_git_sees_as_renamed_is_the_same_file() -> None:
    """Even with other content: then it has changed, under a new name."""
    before, after = build_snapshot(files={"a": "sha256:1"}), build_snapshot(files={"b": "sha256:2"})
    change = FileChange("R", "b", "a", "100644", "100644", "1", "2", 60)
    item = only(compare_snapshots(before, after, _SILENT, [change]).files)
    assert (item.id, item.old_id, item.change) == ("b", "a", Change.CHANGED)


def test_copy_is_no_rename() -> None:
    """What git sees as copied takes nobody's place."""
    before, after = build_snapshot(files={"a": "sha256:1"}), build_snapshot(files={"b": "sha256:2"})
    change = FileChange("C", "b", "a", "100644", "100644", "1", "2", 60)
    changes = {item.change for item in compare_snapshots(before, after, _SILENT, [change]).files.items}
    assert changes == {Change.NEW, Change.REMOVED}


def test_coverage_that_falls_is_a_drop() -> None:
    """Other measures may fall; coverage, or its report, must be spoken for."""
    before = build_snapshot(measures={"coverage_basis_points": 8100, "lines": 50})
    after = build_snapshot(measures={"coverage_basis_points": 8000, "lines": 40})
    items = {item.id: item for item in compare(before, after).measures.items}
    assert items["coverage_basis_points"].explained is False
    assert items["lines"].explained is None
    told = compare(before, after, "Coverage fell by one point, since the parser is generated now.").measures
    assert str(told.items[0].explanation) == "results.md:1"
    assert compare(before, build_snapshot()).measures.items[0].explained is False
    assert compare(after, before).measures.items[0].explained is None


def test_notes_say_when_a_number_does_not_mean_what_it_seems() -> None:
    """No report here, none in the baseline, no check results."""
    bare = build_snapshot()
    full = build_snapshot(tests={"a": "pass"}, checks={"a": "pass"})
    assert compare(full, bare).notes == (
        "no test report was read here, so every test of the baseline counts as gone",
        "no check results are here, so every check of the baseline counts as gone",
    )
    assert compare(bare, full).notes == (
        "the baseline holds no test by id, so which tests are new is not known",
        "the baseline holds no check results",
    )
    assert compare(full, full).notes == ()


def test_what_could_not_be_read_says_on_which_side() -> None:
    """Once, where it is the same on both; another reason is another line."""
    one, other = Unread(path="a.xml", reason="it is not XML"), Unread(path="a.xml", reason="does not exist")
    before, after = build_snapshot(unread=(one, other)), build_snapshot(unread=(one,))
    assert compare(before, after).unread == (
        NotRead(path="a.xml", reason="does not exist", in_before=True, in_after=False),
        NotRead(path="a.xml", reason="it is not XML", in_before=True, in_after=True),
    )
