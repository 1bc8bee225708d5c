"""One owner for each file."""

from __future__ import annotations

import pytest

from handoff_tui.checks.contract import NotApplicableError
from handoff_tui.checks.rules.builder.package_files import PACKAGES_OWN_THEIR_FILES
from tests.support.builder_story import MANIFEST, SOURCE, build_manifest, build_results, build_world, results_path
from tests.support.world import judge

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
    assert [found.subject for found in judge(PACKAGES_OWN_THEIR_FILES, world)] == ["file PKG-LAMP-001/lamp.py"]


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


def test_package_rule_needs_packages() -> None:
    """A handoff without one owns nothing."""
    with pytest.raises(NotApplicableError):
        judge(PACKAGES_OWN_THEIR_FILES, build_world({MANIFEST: None}))
