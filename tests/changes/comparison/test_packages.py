from __future__ import annotations

from handoff_tui.changes.comparison.compare import align_packages, compare_dependencies, compare_packages, find_clashes
from handoff_tui.changes.comparison.explain import Explanations, build_explanations
from handoff_tui.changes.comparison.snapshot_diff import Change
from tests.support.snapshots import build_package

_SILENT = Explanations()


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
        ("manifest:a", Change.CHANGED, "1.0.0", "1.1.0", None),
        ("manifest:b", Change.REMOVED, "1.0.0", None, False),
        ("manifest:d", Change.NEW, None, "1.0.0", None),
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
    assert (item.change, item.note) == (Change.CHANGED, "moved from old")


def test_key_that_grew_by_a_namesake_is_still_the_same_package() -> None:
    """A second package of that name is new; the first one is unchanged."""
    first = build_package("a", where="x/m.json")
    before, after = align_packages(
        {"manifest:a": first},
        {"manifest:a@x/m.json": first, "manifest:a@y/m.json": build_package("a", where="y/m.json")},
    )
    section = compare_packages(before, after, _SILENT)
    assert [(item.id, item.change) for item in section.items] == [("manifest:a@y/m.json", Change.NEW)]
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
        ("a -> four", Change.NEW, None),
        ("a -> one", Change.REMOVED, False),
        ("a -> two", Change.CHANGED, None),
        ("b -> one", Change.REMOVED, None),
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
