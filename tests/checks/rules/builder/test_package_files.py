"""Leftovers in packages."""

from __future__ import annotations

import pytest

from handoff_tui.checks.rule import NotApplicableError, Rule
from handoff_tui.checks.rules.builder.package_files import PACKAGES_ARE_CLEAN, PACKAGES_OWN_THEIR_FILES
from tests.support.builder_story import (
    MANIFEST,
    SOURCE,
    build_files,
    build_manifest,
    build_results,
    build_spec,
    build_world,
    results_path,
    spec_path,
)
from tests.support.world import MemoryWorld, find_subjects, judge


class _IgnoringWorld(MemoryWorld):
    """A world in which git ignores caches: they exist, but are not listed."""

    def paths(self) -> tuple[str, ...]:
        return tuple(path for path in super().paths() if "__pycache__" not in path)


def test_package_without_leftovers_passes() -> None:
    """What lies outside of packages does not matter."""
    assert judge(PACKAGES_ARE_CLEAN, build_world({"tools/__pycache__/a.pyc": "x"})) == []


def test_leftovers_are_found_at_the_outermost_name() -> None:
    """One finding for a folder, however much it holds, and one for each stray file."""
    world = build_world(
        {
            "PKG-LAMP-001/hot/__pycache__/a.pyc": "x",
            "PKG-LAMP-001/hot/__pycache__/b.pyc": "x",
            "PKG-LAMP-001/hot/c.pyc": "x",
            "PKG-LAMP-001/.DS_Store": "x",
        }
    )
    places = [found.place.path for found in judge(PACKAGES_ARE_CLEAN, world) if found.place]
    assert places == ["PKG-LAMP-001/.DS_Store", "PKG-LAMP-001/hot/__pycache__", "PKG-LAMP-001/hot/c.pyc"]


def test_leftovers_that_git_ignores_are_found() -> None:
    """They would go into the archive all the same."""
    files = {**build_files(), "PKG-LAMP-001/__pycache__/lamp.pyc": "x"}
    places = [found.place and found.place.path for found in judge(PACKAGES_ARE_CLEAN, _IgnoringWorld(files=files))]
    assert places == ["PKG-LAMP-001/__pycache__"]


def test_leftovers_in_packages_of_others_are_left_to_them() -> None:
    """With one handoff under review, its packages count."""
    world = build_world({"PKG-OIL-001/.DS_Store": "x"})
    assert len(judge(PACKAGES_ARE_CLEAN, world)) == 1
    assert judge(PACKAGES_ARE_CLEAN, world, scope="H-5") == []


_OIL = "PKG-OIL-001/manifest.json"


def test_packages_with_files_of_their_own_pass() -> None:
    """Different paths, different owners."""
    world = build_world({_OIL: build_manifest("PKG-OIL-001", {"oil.py": SOURCE})})
    assert judge(PACKAGES_OWN_THEIR_FILES, world) == []


def test_packages_that_share_a_file_are_found() -> None:
    """Both install to one path, so the later one would overwrite it; however the path is written."""
    world = build_world({_OIL: build_manifest("PKG-OIL-001", {"./lamp.py": SOURCE})})
    [found] = judge(PACKAGES_OWN_THEIR_FILES, world)
    assert (found.subject, found.actual) == ("file lamp.py", "PKG-LAMP-001, PKG-OIL-001")
    assert found.place is not None
    assert found.place.path == _OIL


def test_package_that_reaches_into_another_is_found() -> None:
    """A path that leads into the folder of another package."""
    world = build_world({_OIL: build_manifest("PKG-OIL-001", {"../PKG-LAMP-001/lamp.py": SOURCE})})
    assert find_subjects(PACKAGES_OWN_THEIR_FILES, world) == ["file PKG-LAMP-001/lamp.py"]


def test_package_that_is_superseded_does_not_count() -> None:
    """The new one owns the files of the old one; a package cannot supersede itself away."""
    new = build_manifest("PKG-OIL-001", {"lamp.py": SOURCE}, supersedes="PKG-LAMP-001")
    assert judge(PACKAGES_OWN_THEIR_FILES, build_world({_OIL: new})) == []
    own = build_manifest("PKG-OIL-001", {"lamp.py": SOURCE}, supersedes="PKG-OIL-001")
    assert len(judge(PACKAGES_OWN_THEIR_FILES, build_world({_OIL: own}))) == 1


def test_packages_of_one_name_are_found_once() -> None:
    """Two manifests with one id hide nothing behind it."""
    world = build_world({"old/PKG-LAMP-001/manifest.json": build_manifest()})
    [found] = judge(PACKAGES_OWN_THEIR_FILES, world)
    assert found.subject == "package PKG-LAMP-001"


def test_packages_of_other_handoffs_are_compared() -> None:
    """With one handoff under review, only what concerns its packages is found."""
    oil = build_results("H-6").replace("PKG-LAMP-001", "PKG-OIL-001")
    world = build_world({_OIL: build_manifest("PKG-OIL-001", {"lamp.py": SOURCE}), results_path("H-6"): oil})
    assert len(judge(PACKAGES_OWN_THEIR_FILES, world, scope="H-6")) == 1


def test_package_rule_fails_on_a_broken_manifest() -> None:
    """Nobody knows what it owns."""
    found = judge(PACKAGES_OWN_THEIR_FILES, build_world({_OIL: "{"}))
    assert [one.subject for one in found] == [f"unreadable {_OIL}"]


@pytest.mark.parametrize(
    ("rule", "world"),
    [
        (PACKAGES_ARE_CLEAN, MemoryWorld(files={spec_path("H-5"): build_spec("H-5")})),
        (PACKAGES_OWN_THEIR_FILES, build_world({MANIFEST: None})),
    ],
)
def test_rule_is_skipped_where_it_has_nothing_to_judge(rule: Rule, world: MemoryWorld) -> None:
    """It neither passes nor fails."""
    with pytest.raises(NotApplicableError):
        judge(rule, world)
