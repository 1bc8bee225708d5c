"""Assets against the hashes of their manifest."""

from __future__ import annotations

import pytest

from handoff_tui.checks.contract import NotApplicableError
from handoff_tui.checks.rules.builder.manifests import ASSET_HASHES_MATCH
from handoff_tui.handoffs.claim import Verdict, VerdictState
from tests.support.builder_story import MANIFEST, SOURCE, build_manifest, build_world, digest
from tests.support.world import judge

_PATH = "PKG-LAMP-001/lamp.py"


def test_assets_that_match_pass() -> None:
    """Also where the hash lacks its prefix: that is a matter of form."""
    assert judge(ASSET_HASHES_MATCH, build_world()) == []
    assert judge(ASSET_HASHES_MATCH, build_world({MANIFEST: build_manifest().replace("sha256:", "")})) == []


def test_asset_that_changed_is_found() -> None:
    """Expected is what the manifest says, actual what the file is; the line is that of the hash."""
    [found] = judge(ASSET_HASHES_MATCH, build_world({_PATH: "changed"}))
    assert (found.subject, found.expected) == ("asset lamp.py", f"sha256:{digest(SOURCE)}")
    assert found.actual == f"sha256:{digest('changed')}"
    assert (found.place and found.place.path, found.place and found.place.line) == (MANIFEST, 12)


def test_asset_that_is_missing_is_found() -> None:
    """A file of the same name elsewhere is not taken for it."""
    [found] = judge(ASSET_HASHES_MATCH, build_world({_PATH: None, "attic/lamp.py": SOURCE}))
    assert found.message == "lamp.py of PKG-LAMP-001 is missing"


def test_asset_that_leads_out_is_found() -> None:
    """A path out of the package is not followed."""
    manifest = build_manifest(contents={"../README.md": "hello\n"})
    [found] = judge(ASSET_HASHES_MATCH, build_world({MANIFEST: manifest, "README.md": "hello\n"}))
    assert "is missing" in found.message


def test_asset_without_a_hash_is_found() -> None:
    """What is not declared cannot be compared."""
    manifest = build_manifest("PKG-LAMP-001", None, assets=[{"path": "lamp.py", "classification": "library"}])
    assert [found.actual for found in judge(ASSET_HASHES_MATCH, build_world({MANIFEST: manifest}))] == ["no hash"]


def test_asset_too_large_to_be_read_counts_as_measured() -> None:
    """Its hash was measured for the claim that the manifest makes."""
    world = build_world()
    [handoff] = world.handoffs()
    claim = next(claim for claim in handoff.claims if claim.subject == _PATH and claim.where.path == MANIFEST)
    measured = Verdict(claim=claim, state=VerdictState.CONTRADICTED, measured="sha256:" + "0" * 64)
    world.measured = {"H-5": (measured,)}
    del world.files[_PATH]
    world.files[f"{_PATH}/part"] = "the folder makes the path exist"
    [found] = judge(ASSET_HASHES_MATCH, world)
    assert found.actual == "sha256:" + "0" * 64


def test_asset_rule_fails_on_a_broken_manifest() -> None:
    """Nothing in it can be compared."""
    found = judge(ASSET_HASHES_MATCH, build_world({MANIFEST: "{"}))
    assert [one.subject for one in found] == [f"unreadable {MANIFEST}"]


def test_asset_rule_needs_assets() -> None:
    """A handoff without a package has none."""
    with pytest.raises(NotApplicableError):
        judge(ASSET_HASHES_MATCH, build_world({MANIFEST: None}))
