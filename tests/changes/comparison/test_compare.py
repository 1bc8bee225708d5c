from __future__ import annotations

import pytest

from handoff_tui.changes.comparison.compare import (
    align_packages,
    compare_dependencies,
    compare_packages,
    compare_snapshots,
    find_clashes,
)
from handoff_tui.changes.comparison.explain import Explanations, build_explanations
from handoff_tui.changes.comparison.snapshot_diff import (
    BaselineChoice,
    ComparedItem,
    ComparedPair,
    ComparedSection,
    DiffScope,
    ItemChange,
    NotRead,
    SnapshotDiff,
)
from handoff_tui.changes.snapshots.snapshot import FindingRecord, Snapshot, Unread
from handoff_tui.git.file_diff import FileChange
from tests.support.snapshots import build_package, build_snapshot, build_tests

_SILENT = Explanations()


def compare(before: Snapshot, after: Snapshot, text: str = "") -> SnapshotDiff:
    return compare_snapshots(before, after, build_explanations([], [("results.md", text)]))


def only(section: ComparedSection) -> ComparedItem:
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
        "a": (ItemChange.NEWLY_FAILING, None),
        "b": (ItemChange.FIXED, None),
        "c": (ItemChange.NEWLY_SKIPPED, False),
        "d": (ItemChange.CHANGED, None),
        "e": (ItemChange.CHANGED, None),
        "f": (ItemChange.CHANGED, None),
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
        "1": ItemChange.FIXED,
        "2": ItemChange.VANISHED,
        "3": ItemChange.VANISHED,
        "4": ItemChange.FIXED,
        "9": ItemChange.NEW,
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
    assert changes["c"] == (ItemChange.RENAMED, "a")
    assert changes["b"] == (ItemChange.REMOVED, None)
    assert changes["d"] == changes["e"] == (ItemChange.NEW, None)


def test_file_that_git_sees_as_renamed_is_the_same_file() -> None:
    """Even with other content: then it has changed, under a new name."""
    before, after = build_snapshot(files={"a": "sha256:1"}), build_snapshot(files={"b": "sha256:2"})
    change = FileChange("R", "b", "a", "100644", "100644", "1", "2", 60)
    item = only(compare_snapshots(before, after, _SILENT, [change]).files)
    assert (item.id, item.old_id, item.change) == ("b", "a", ItemChange.CHANGED)


def test_copy_is_no_rename() -> None:
    """What git sees as copied takes nobody's place."""
    before, after = build_snapshot(files={"a": "sha256:1"}), build_snapshot(files={"b": "sha256:2"})
    change = FileChange("C", "b", "a", "100644", "100644", "1", "2", 60)
    changes = {item.change for item in compare_snapshots(before, after, _SILENT, [change]).files.items}
    assert changes == {ItemChange.NEW, ItemChange.REMOVED}


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
        "no test report was read here, so every baseline test counts as gone",
        "no check results here, so every baseline check counts as gone",
    )
    assert compare(bare, full).notes == (
        "the baseline has no tests by id, so new tests are unknown",
        "the baseline has no check results",
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


_NOWHERE = BaselineChoice(reason="none")

_SNAPSHOT = BaselineChoice(snapshot="1" * 64, reason="pinned")

_COMMIT = BaselineChoice(commit="a" * 40, reason="named")


def test_unexplained_are_the_drops_of_all_sections() -> None:
    """Coverage among them; what owes no explanation is none."""
    lost = ComparedItem("x", ItemChange.REMOVED, explained=False)
    told = ComparedItem("y", ItemChange.REMOVED, explained=True)
    measure = ComparedItem("coverage_basis_points", ItemChange.CHANGED, "2", "1", explained=False)
    diff = SnapshotDiff(
        tests=ComparedSection(items=(lost, told, ComparedItem("z", ItemChange.NEW))),
        measures=ComparedSection(items=(measure,)),
    )
    assert diff.unexplained == (lost, measure)


@pytest.mark.parametrize(
    ("before", "after", "comparable"),
    [
        (_NOWHERE, None, False),
        (_SNAPSHOT, None, True),
        (_COMMIT, _SNAPSHOT, True),
        (_COMMIT, _NOWHERE, False),
    ],
)
def test_pair_is_comparable_when_both_sides_are_there(
    before: BaselineChoice,
    after: BaselineChoice | None,
    comparable: bool,  # noqa: FBT001 - a parameter of the table
) -> None:
    """A snapshot or a commit; no second side means the work tree."""
    assert ComparedPair(scope=DiffScope.BETWEEN, before=before, after=after).comparable is comparable


def test_packages_are_added_removed_and_upgraded() -> None:
    """By key, with the versions."""
    before = {"manifest:a": build_package("a"), "manifest:b": build_package("b"), "manifest:c": build_package("c")}
    after = {
        "manifest:a": build_package("a", "1.1.0"),
        "manifest:c": build_package("c"),
        "manifest:d": build_package("d"),
    }
    section = compare_packages(before, after, _SILENT)
    assert [(item.id, item.change, item.before, item.after, item.explained) for item in section.items] == [
        ("manifest:a", ItemChange.CHANGED, "1.0.0", "1.1.0", None),
        ("manifest:b", ItemChange.REMOVED, "1.0.0", None, False),
        ("manifest:d", ItemChange.NEW, None, "1.0.0", None),
    ]
    assert (section.unchanged, section.before_total, section.after_total) == (1, 3, 3)


def test_version_that_goes_down_is_said() -> None:
    """By its numbers, so that 1.9 is below 1.10."""
    notes = [
        compare_packages({"k": build_package("a", old)}, {"k": build_package("a", new)}, _SILENT).items[0].note
        for old, new in (("1.10", "1.9"), ("1.9", "1.10"), ("1.0rc1", "1.0"))
    ]
    assert notes == ["the version goes down", "", ""]


def test_other_content_under_the_same_version_is_said() -> None:
    """Nobody can tell such packages apart by name."""
    old, new = (build_package("a", assets={"x.py": value, "y.py": "sha256:0"}) for value in ("sha256:1", "sha256:2"))
    (item,) = compare_packages({"k": old}, {"k": new}, _SILENT).items
    assert item.note == "same version, 1 of its files differ: x.py"


def test_package_that_moved_is_the_same_package() -> None:
    """Its former place is told."""
    (item,) = compare_packages(
        {"k": build_package("a", where="old")}, {"k": build_package("a", where="new")}, _SILENT
    ).items
    assert (item.change, item.note) == (ItemChange.CHANGED, "moved from old")


def test_key_that_grew_by_a_namesake_is_still_the_same_package() -> None:
    """A second package of that name is new; the first one is unchanged."""
    first = build_package("a", where="x/m.json")
    before, after = align_packages(
        {"manifest:a": first},
        {"manifest:a@x/m.json": first, "manifest:a@y/m.json": build_package("a", where="y/m.json")},
    )
    section = compare_packages(before, after, _SILENT)
    assert [(item.id, item.change) for item in section.items] == [("manifest:a@y/m.json", ItemChange.NEW)]
    assert section.unchanged == 1


def test_removed_package_is_explained_by_name_or_manifest() -> None:
    """A plain word needs code marks, or the head of a list of what was removed."""
    packages = {"manifest:tide": build_package("tide"), "manifest:pkg-1": build_package("pkg-1")}
    for text, explained in (
        ("Removed the tide and pkg-1.", {"manifest:pkg-1"}),
        ("Removed `tide`.", {"manifest:tide"}),
        ("Deleted tide/manifest.json.", {"manifest:tide"}),
    ):
        section = compare_packages(packages, {}, build_explanations([], [("r.md", text)]))
        assert {item.id for item in section.items if item.explained} == explained


def test_dependencies_are_edges() -> None:
    """Added, removed, with another constraint; one of a package that is gone owes no explanation of its own."""
    before = {
        "a": build_package("a", dependencies={"one": "", "two": ">=1", "three": ""}),
        "b": build_package("b", dependencies={"one": ""}),
    }
    after = {"a": build_package("a", dependencies={"two": ">=2", "three": "", "four": ""})}
    section = compare_dependencies(before, after, _SILENT)
    assert [(item.id, item.change, item.explained) for item in section.items] == [
        ("a -> four", ItemChange.NEW, None),
        ("a -> one", ItemChange.REMOVED, False),
        ("a -> two", ItemChange.CHANGED, None),
        ("b -> one", ItemChange.REMOVED, None),
    ]
    assert section.items[3].note == "the package itself is gone"
    assert (section.unchanged, section.before_total, section.after_total) == (1, 4, 3)


def test_removed_dependency_is_explained_by_its_name() -> None:
    """With the place."""
    before = {"a": build_package("a", dependencies={"left-pad": "^1"})}
    text = build_explanations([], [("r.md", "\nleft-pad was replaced by a loop.")])
    (item,) = compare_dependencies(before, {"a": build_package("a")}, text).items
    assert str(item.explanation) == "r.md:2"


def test_file_of_two_packages_is_a_clash() -> None:
    """Known, where the same packages clashed over it before."""
    one, two = build_package("a", assets={"x.py": ""}), build_package("b", assets={"x.py": "", "y.py": ""})
    (clash,) = find_clashes({"a": one}, {"a": one, "b": two})
    assert (clash.path, clash.owners, clash.known) == ("x.py", ("a", "b"), False)
    assert find_clashes({"a": one, "b": two}, {"a": one, "b": two})[0].known


def test_superseded_package_owns_nothing() -> None:
    """Its successor has taken its files over."""
    packages = {
        "a": build_package("a", assets={"x.py": ""}),
        "b": build_package("b", assets={"x.py": ""}, supersedes=("a",)),
    }
    assert find_clashes({}, packages) == ()
