"""The shape of manifests."""

from __future__ import annotations

import json

import pytest

from handoff_tui.checks.rule import NotApplicableError, Rule
from handoff_tui.checks.rules.builder.manifests import ASSET_HASHES_MATCH, MANIFEST_SHAPE_FITS
from handoff_tui.handoffs.claim import Verdict, VerdictState
from tests.support.builder_story import MANIFEST, SOURCE, build_manifest, build_spec, build_world, digest, spec_path
from tests.support.world import MemoryWorld, find_subjects, judge


def _subjects(manifest: str) -> list[str]:
    return find_subjects(MANIFEST_SHAPE_FITS, build_world({MANIFEST: manifest}))


def test_manifest_of_the_standard_passes() -> None:
    """All fields, hashes with their prefix."""
    assert judge(MANIFEST_SHAPE_FITS, build_world()) == []


@pytest.mark.parametrize("field", ["framework_id", "spec_id", "schema_version", "plane_id", "dependencies", "assets"])
def test_manifest_without_a_field_is_found(field: str) -> None:
    """Each field of the standard is needed."""
    missing: dict[str, object] = {field: None}
    assert _subjects(build_manifest("PKG-LAMP-001", None, **missing)) == [f"field {field}"]


def test_manifest_with_replaced_fields_is_found() -> None:
    """`files` and `depends_on` stand for nothing here."""
    manifest = build_manifest("PKG-LAMP-001", None, assets=None, files={}, depends_on=[])
    assert _subjects(manifest) == ["field assets", "field files", "field depends_on"]


def test_manifest_with_wrong_kinds_is_found() -> None:
    """A list that is text, text that is empty, a dependency that is a number."""
    manifest = build_manifest("PKG-LAMP-001", None, assets="lamp.py", version="", dependencies=[4])
    assert _subjects(manifest) == ["kind version", "kind assets", "dependencies"]


def test_manifest_hash_must_have_its_form() -> None:
    """Bare hex is not enough, and the finding names the line."""
    manifest = build_manifest().replace("sha256:", "")
    found = judge(MANIFEST_SHAPE_FITS, build_world({MANIFEST: manifest}))
    assert [one.subject for one in found] == ["hash lamp.py", "hash test_lamp.py"]
    assert found[0].actual == digest("def light() -> int:\n    return 1\n")
    assert all(one.place and one.place.line for one in found)


def test_manifest_assets_must_be_whole() -> None:
    """No path, no hash, no classification, a way out of the package, the same file twice."""
    good = {"path": "lamp.py", "sha256": "sha256:" + "0" * 64, "classification": "library"}
    assets = [{}, {"path": "a.py", "classification": "library"}, {**good, "path": "../b.py"}, good, good]
    manifest = build_manifest("PKG-LAMP-001", None, assets=[*assets, {**good, "path": "c.py", "classification": ""}])
    assert _subjects(manifest) == ["asset 0", "hash a.py", "path ../b.py", "twice lamp.py", "classification c.py"]


def test_manifest_is_that_of_its_folder() -> None:
    """A copied manifest keeps the name of another package."""
    assert _subjects(build_manifest("PKG-OIL-001")) == ["package_id"]


@pytest.mark.parametrize("content", ["", "{", "[]", '{"package_id": "PKG-LAMP-001", "package_id": "PKG-LAMP-001"}'])
def test_manifest_that_is_no_manifest_is_found(content: str) -> None:
    """Empty, cut off, a list, a key given twice."""
    assert _subjects(content) == ["json"]


def test_manifest_of_somebody_else_in_a_package_is_found() -> None:
    """In a package's folder it is the package's manifest, whatever it holds."""
    assert "field package_id" in _subjects(json.dumps({"start_url": "/", "short_name": "lamp"}))


def test_package_without_a_manifest_is_found() -> None:
    """A package that declares nothing is judged by nothing else."""
    world = build_world({"PKG-OIL-001/oil.py": "x"})
    assert find_subjects(MANIFEST_SHAPE_FITS, world) == ["manifest PKG-OIL-001"]


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


@pytest.mark.parametrize(
    ("rule", "world"),
    [
        (MANIFEST_SHAPE_FITS, MemoryWorld(files={spec_path("H-5"): build_spec("H-5")})),
        (ASSET_HASHES_MATCH, build_world({MANIFEST: None})),
    ],
)
def test_rule_is_skipped_where_it_has_nothing_to_judge(rule: Rule, world: MemoryWorld) -> None:
    """It neither passes nor fails."""
    with pytest.raises(NotApplicableError):
        judge(rule, world)
