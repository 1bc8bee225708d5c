from __future__ import annotations

import pytest

from handoff_tui.changes.comparison import snapshot_diff
from handoff_tui.changes.comparison.compare import (
    align_packages,
    compare_claims,
    compare_dependencies,
    compare_packages,
    compare_snapshots,
    find_clashes,
)
from handoff_tui.changes.comparison.compare_tests import (
    ParsedTestId,
    compare_tests,
    pair_renamed,
    parse_test_id,
)
from handoff_tui.changes.comparison.explain import Explanations, build_explanations
from handoff_tui.changes.snapshots.snapshot import ClaimedTotals, FindingRecord, Snapshot, TestOutcome, Unread
from handoff_tui.git.file_diff import FileChange
from tests.support.snapshots import build_package, build_snapshot

_SILENT = Explanations()


def compare(before: Snapshot, after: Snapshot, text: str = "") -> snapshot_diff.SnapshotDiff:
    return compare_snapshots(before, after, build_explanations([], [("results.md", text)]))


def only(section: snapshot_diff.ComparedSection) -> snapshot_diff.ComparedItem:
    (item,) = section.items
    return item


def test_check_outcomes_are_told_by_what_they_mean() -> None:
    """A check that fails now, one that passes again, one that no longer judges, one that does not apply."""
    before = build_snapshot(checks={"a": "pass", "b": "error", "c": "pass", "d": "fail", "e": "skipped", "f": "fail"})
    after = build_snapshot(
        checks={"a": "timeout", "b": "pass", "c": "skipped", "d": "not-applicable", "e": "unknown", "f": "error"}
    )
    changes = {item.id: (item.change, item.explained) for item in compare(before, after).checks.items}
    assert changes == {
        "a": (snapshot_diff.ItemChange.NEWLY_FAILING, None),
        "b": (snapshot_diff.ItemChange.FIXED, None),
        "c": (snapshot_diff.ItemChange.NEWLY_SKIPPED, False),
        "d": (snapshot_diff.ItemChange.CHANGED, None),
        "e": (snapshot_diff.ItemChange.CHANGED, None),
        "f": (snapshot_diff.ItemChange.CHANGED, None),
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
        "1": snapshot_diff.ItemChange.FIXED,
        "2": snapshot_diff.ItemChange.VANISHED,
        "3": snapshot_diff.ItemChange.VANISHED,
        "4": snapshot_diff.ItemChange.FIXED,
        "9": snapshot_diff.ItemChange.NEW,
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
    assert changes["c"] == (snapshot_diff.ItemChange.RENAMED, "a")
    assert changes["b"] == (snapshot_diff.ItemChange.REMOVED, None)
    assert changes["d"] == changes["e"] == (snapshot_diff.ItemChange.NEW, None)


def test_file_that_git_sees_as_renamed_is_the_same_file() -> None:
    """Even with other content: then it has changed, under a new name."""
    before, after = build_snapshot(files={"a": "sha256:1"}), build_snapshot(files={"b": "sha256:2"})
    change = FileChange("R", "b", "a", "100644", "100644", "1", "2", 60)
    item = only(compare_snapshots(before, after, _SILENT, [change]).files)
    assert (item.id, item.old_id, item.change) == ("b", "a", snapshot_diff.ItemChange.CHANGED)


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
        snapshot_diff.NotRead(path="a.xml", reason="does not exist", in_before=True, in_after=False),
        snapshot_diff.NotRead(path="a.xml", reason="it is not XML", in_before=True, in_after=True),
    )


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
        ("manifest:a", snapshot_diff.ItemChange.CHANGED, "1.0.0", "1.1.0", None),
        ("manifest:b", snapshot_diff.ItemChange.REMOVED, "1.0.0", None, False),
        ("manifest:d", snapshot_diff.ItemChange.NEW, None, "1.0.0", None),
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
    assert (item.change, item.note) == (snapshot_diff.ItemChange.CHANGED, "moved from old")


def test_key_that_grew_by_a_namesake_is_still_the_same_package() -> None:
    """A second package of that name is new; the first one is unchanged."""
    first = build_package("a", where="x/m.json")
    before, after = align_packages(
        {"manifest:a": first},
        {"manifest:a@x/m.json": first, "manifest:a@y/m.json": build_package("a", where="y/m.json")},
    )
    section = compare_packages(before, after, _SILENT)
    assert [(item.id, item.change) for item in section.items] == [("manifest:a@y/m.json", snapshot_diff.ItemChange.NEW)]
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
        ("a -> four", snapshot_diff.ItemChange.NEW, None),
        ("a -> one", snapshot_diff.ItemChange.REMOVED, False),
        ("a -> two", snapshot_diff.ItemChange.CHANGED, None),
        ("b -> one", snapshot_diff.ItemChange.REMOVED, None),
    ]
    assert section.items[3].note == "the package itself is gone"
    assert (section.unchanged, section.before_total, section.after_total) == (1, 4, 3)


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


def compare_outcomes(
    before: dict[str, str], after: dict[str, str], text: str = "", moved: dict[str, str] | None = None
) -> dict[str, snapshot_diff.ComparedItem]:
    old, new = ({name: TestOutcome(outcome) for name, outcome in side.items()} for side in (before, after))
    section = compare_tests(old, new, build_explanations([], [("results.md", text)]), moved or {})
    return {item.id: item for item in section.items}


@pytest.mark.parametrize(
    ("before", "after", "change"),
    [
        ("pass", "fail", snapshot_diff.ItemChange.NEWLY_FAILING),
        ("pass", "error", snapshot_diff.ItemChange.NEWLY_FAILING),
        ("skipped", "fail", snapshot_diff.ItemChange.NEWLY_FAILING),
        ("fail", "pass", snapshot_diff.ItemChange.FIXED),
        ("error", "pass", snapshot_diff.ItemChange.FIXED),
        ("fail", "error", snapshot_diff.ItemChange.CHANGED),
        ("skipped", "pass", snapshot_diff.ItemChange.CHANGED),
        ("pass", "skipped", snapshot_diff.ItemChange.NEWLY_SKIPPED),
        ("fail", "skipped", snapshot_diff.ItemChange.NEWLY_SKIPPED),
    ],
)
def test_outcome_that_changed_has_its_name(before: str, after: str, change: snapshot_diff.ItemChange) -> None:
    """A test that failed and is skipped now is newly skipped, never fixed."""
    item = compare_outcomes({"t": before}, {"t": after})["t"]
    assert (item.change, item.before, item.after) == (change, before, after)


def test_test_that_is_gone_without_a_word_has_vanished() -> None:
    """And is unexplained; one that a handoff mentions as removed is removed, with the place."""
    items = compare_outcomes(
        {"x.py::test_a": "pass", "x.py::test_b": "pass"}, {}, "Removed `test_b`: it tested nothing."
    )
    assert (items["x.py::test_a"].change, items["x.py::test_a"].explained) == (snapshot_diff.ItemChange.VANISHED, False)
    assert (items["x.py::test_b"].change, str(items["x.py::test_b"].explanation)) == (
        snapshot_diff.ItemChange.REMOVED,
        "results.md:1",
    )


def test_word_of_one_drop_does_not_explain_another() -> None:
    """That a test is skipped does not explain that it is gone, nor the other way round."""
    text = "- test_a was skipped for now\n- test_b was removed\n"
    items = compare_outcomes({"x.py::test_a": "pass", "x.py::test_b": "pass"}, {"x.py::test_b": "skipped"}, text)
    assert items["x.py::test_a"].explained is False
    assert items["x.py::test_b"].explained is False


def test_renamed_test_that_fails_now_is_newly_failing() -> None:
    """A moved file hides no failure: the former name is told beside it."""
    items = compare_outcomes({"a.py::test_x": "pass"}, {"b.py::test_x": "fail"}, moved={"a.py": "b.py"})
    assert (items["b.py::test_x"].change, items["b.py::test_x"].old_id) == (
        snapshot_diff.ItemChange.NEWLY_FAILING,
        "a.py::test_x",
    )


def test_skip_of_a_renamed_test_is_explained_by_either_name() -> None:
    """The former one too."""
    items = compare_outcomes(
        {"a.py::test_x": "pass"}, {"b.py::test_x": "skipped"}, "Skipped a.py::test_x.", {"a.py": "b.py"}
    )
    assert items["b.py::test_x"].explained is True


def pair(left: list[str], came: list[str], moved: dict[str, str] | None = None, now: str = "pass") -> dict[str, str]:
    return pair_renamed(dict.fromkeys(left, TestOutcome.PASS), dict.fromkeys(came, TestOutcome(now)), moved or {})


def test_other_outcome_is_no_rename_by_name_alone() -> None:
    """A test that fails elsewhere need not be the one that passed."""
    assert pair(["a.py::test_x"], ["b.py::test_x"], now="fail") == {}


def test_file_that_git_sees_as_renamed_carries_its_tests() -> None:
    """Whatever their outcome, and however many bear the same name; also where the report has dots."""
    left = ["t/a.py::test_x", "t/z.py::test_x"]
    assert pair(left, ["t/b.py::test_x", "t/y.py::test_x"], {"t/a.py": "t/b.py"}, "fail") == {left[0]: "t/b.py::test_x"}
    assert pair(["t.a.TestK::test_x"], ["t.b.TestK::test_x"], {"t/a.py": "t/b.py"}, "fail") == {
        "t.a.TestK::test_x": "t.b.TestK::test_x"
    }


def test_class_and_name_tell_apart_what_the_name_alone_cannot() -> None:
    """Two tests of one name in two classes of a file that was moved."""
    left = ["a.py::TestA::test_x", "a.py::TestB::test_x"]
    assert pair(left, ["b.py::TestB::test_x", "b.py::TestA::test_x"]) == {
        left[0]: "b.py::TestA::test_x",
        left[1]: "b.py::TestB::test_x",
    }


def test_ambiguous_names_are_left_alone() -> None:
    """Two that left or two that came aren't a pair."""
    assert pair(["a.py::test_x", "b.py::test_x"], ["c.py::test_x"]) == {}
    assert pair(["a.py::test_x"], ["b.py::test_x", "c.py::test_x"]) == {}


def test_parameters_are_part_of_the_name() -> None:
    """Each case of a test finds its own twin."""
    left = ["a.py::test_x[1::2]", "a.py::test_x[b]"]
    assert pair(left, ["b.py::test_x[b]", "b.py::test_x[1::2]"]) == {
        left[0]: "b.py::test_x[1::2]",
        left[1]: "b.py::test_x[b]",
    }


@pytest.mark.parametrize(
    ("identifier", "identity"),
    [
        ("tests/x.py::TestA::test_b", ParsedTestId("tests/x.py", ("TestA",), "test_b")),
        ("tests.unit.x.TestA::test_b[1::2]", ParsedTestId("tests/unit/x.py", ("TestA",), "test_b", "[1::2]")),
        ("tests.x::test_b", ParsedTestId("tests/x.py", (), "test_b")),
        ("x.test.ts::adds", ParsedTestId("x.test.ts", (), "adds")),
        ("TestA::test_b", ParsedTestId("TestA", (), "test_b")),
        ("adds two numbers", ParsedTestId("", (), "adds two numbers")),
        ("", ParsedTestId("", (), "")),
    ],
)
def test_id_is_taken_apart(identifier: str, identity: ParsedTestId) -> None:
    """Paths, dotted modules, files of other languages, plain names."""
    assert parse_test_id(identifier) == identity


def build(packages: int, tests: int, **claimed: ClaimedTotals) -> Snapshot:
    """That many packages and passing tests, and what documents claim."""
    return build_snapshot(
        packages={f"manifest:p{number}": build_package(f"p{number}") for number in range(packages)},
        tests={f"t{number}": "pass" for number in range(tests)},
        claimed=claimed,
    )


def test_number_stands_beside_what_is_here_and_what_was() -> None:
    """In words, as a reviewer would say it."""
    (check,) = compare_claims(build(21, 0), build(22, 0, H2=ClaimedTotals(where="r.md", packages=22)))
    assert check.text == "says 22 packages, the baseline had 21, there are 22 here"
    assert (check.handoff, check.what, check.where) == ("H2", "packages", "r.md")
    assert (check.claimed, check.measured, check.before, check.agrees) == (22, 22, 21, True)


def test_full_regression_is_compared_part_by_part() -> None:
    """An error counts as a failure."""
    tests = {"a": "pass", "b": "fail", "c": "error", "d": "skipped"}
    totals = ClaimedTotals(
        where="r.md", regression={"total": 4, "passed": 1, "failed": 1, "skipped": 1}, baseline_tests=4
    )
    checks = compare_claims(build_snapshot(), build_snapshot(tests=tests, claimed={"H1": totals}))
    assert {check.what: (check.measured, check.agrees) for check in checks} == {
        "regression.total": (4, True),
        "regression.passed": (1, True),
        "regression.failed": (2, False),
        "regression.skipped": (1, True),
        "baseline.tests": (4, True),
    }


def test_own_tests_can_only_be_too_many() -> None:
    """They are a part of what is here, and which part is not known."""
    totals = ClaimedTotals(where="r.md", tests={"total": 3, "failed": 1})
    total, failed = compare_claims(build(0, 0), build(0, 3, H1=totals))
    assert (total.agrees, total.measured, total.text) == (
        None,
        None,
        "says 3 tests of its own, and there are 3 here in all",
    )
    assert (failed.agrees, failed.text) == (
        False,
        "says 1 failed test of its own, and there are 0 here in all, fewer than that",
    )


def test_without_reports_nothing_is_measured() -> None:
    """What was not read is not zero."""
    totals = ClaimedTotals(where="r.md", packages=1, tests={"total": 2}, regression={"total": 9})
    checks = compare_claims(build(0, 0), build(0, 0, H1=totals))
    assert [(check.measured, check.agrees) for check in checks] == [(None, None)] * 3
    assert checks[0].text == "says 1 package, the baseline has no count of them, they could not be counted here"
    assert checks[1].text == "says 2 tests of its own, and there are no test reports here to count them"


def test_without_a_baseline_an_older_document_is_not_contradicted() -> None:
    """Which of two is the latest is not known; the one that is named is judged."""
    after = build(2, 0, H1=ClaimedTotals(where="1.md", packages=1), H2=ClaimedTotals(where="2.md", packages=2))
    old, new = compare_claims(None, after)
    assert (old.agrees, new.agrees) == (None, True)
    assert old.text.endswith("; which of 2 documents is the latest is not known")
    (named,) = compare_claims(None, after, "H1")
    assert named.agrees is False
    assert compare_claims(None, after, "H9") == ()


def test_document_of_the_baseline_that_says_the_same_is_left_out() -> None:
    """It was about its own time; one that says something else now is compared."""
    old = ClaimedTotals(where="1.md", packages=1)
    before = build(1, 0, H1=old)
    assert compare_claims(before, build(2, 0, H1=old)) == ()
    (check,) = compare_claims(before, build(2, 0, H1=ClaimedTotals(where="1.md", packages=2)))
    assert (check.previous, check.text) == (
        1,
        "says 2 packages, the baseline had 1, there are 2 here; it said 1 before",
    )


def test_previous_document_is_told_with_what_is_fewer() -> None:
    """The highest that any document of the baseline said; fewer failures aren't a loss."""
    before = build_snapshot(
        claimed={
            "H1": ClaimedTotals(where="1.md", baseline_packages=5, regression={"failed": 3}),
            "H2": ClaimedTotals(where="2.md", baseline_packages=7),
        }
    )
    totals = ClaimedTotals(where="3.md", baseline_packages=6, regression={"failed": 0})
    failed, packages = compare_claims(before, build_snapshot(claimed={"H3": totals}))
    assert (packages.previous, failed.previous) == (7, 3)
    assert packages.text.endswith("; H2 said 7 before: 1 fewer")
    assert failed.text.endswith("; H1 said 3 before")
