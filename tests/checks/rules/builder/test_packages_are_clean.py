"""Leftovers in packages."""

from __future__ import annotations

import pytest

from handoff_tui.checks.contract import NotApplicableError
from handoff_tui.checks.rules.builder.package_files import PACKAGES_ARE_CLEAN
from tests.support.builder_story import build_files, build_spec, build_world, spec_path
from tests.support.world import MemoryWorld, judge


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


def test_clean_rule_needs_a_package() -> None:
    """A spec alone has none."""
    with pytest.raises(NotApplicableError):
        judge(PACKAGES_ARE_CLEAN, MemoryWorld(files={spec_path("H-5"): build_spec("H-5")}))
