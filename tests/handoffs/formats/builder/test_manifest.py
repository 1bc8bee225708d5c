"""Package manifests, right and wrong."""

from __future__ import annotations

import json

from handoff_tui.core.packages import Asset
from handoff_tui.handoffs.formats.builder.packages import ManifestReading, read_manifest
from handoff_tui.handoffs.reading.format import Source

_HASH = "0a" * 32


def _read(value: object) -> tuple[ManifestReading, Source]:
    source = Source.of_text("pkgs/PKG-LAMP-001/manifest.json", json.dumps(value, indent=1))
    return read_manifest(source), source


def _good() -> dict[str, object]:
    return {
        "package_id": "PKG-LAMP-001",
        "version": "1.0.0",
        "schema_version": 1.2,
        "spec_id": "SPEC-LAMP-001",
        "framework_id": "FMWK-001",
        "supersedes": "PKG-CANDLE-001",
        "dependencies": ["PKG-OIL-001", {"package_id": "PKG-WICK-001"}],
        "assets": [{"path": "HOT/lamp.py", "sha256": f"sha256:{_HASH}", "classification": "module"}],
    }


def test_manifest_becomes_a_package() -> None:
    """A manifest of the standard shape is read without a problem."""
    reading, source = _read(_good())
    package = reading.package
    assert package is not None
    assert (package.id, package.schema_version, package.supersedes) == ("PKG-LAMP-001", "1.2", ("PKG-CANDLE-001",))
    assert package.dependencies == ("PKG-OIL-001", "PKG-WICK-001")
    assert package.assets == (Asset(path="HOT/lamp.py", sha256=f"sha256:{_HASH}", classification="module"),)
    assert source.problems() == []


def test_manifest_hashes_are_claims() -> None:
    """Each hash is claimed for the file beside the manifest, at the line of the hash."""
    claims = _read(_good())[0].claims
    assert [(claim.subject, claim.value, claim.where.line) for claim in claims] == [
        ("pkgs/PKG-LAMP-001/HOT/lamp.py", f"sha256:{_HASH}", 17)
    ]


def test_manifest_of_a_wrong_shape_is_read_and_reported() -> None:
    """Old names, bare hashes and missing fields are problems with lines, and nothing of them is lost."""
    reading, source = _read(
        {
            "package_id": "PKG-LAMP-001",
            "files": {"HOT/lamp.py": _HASH, "HOT/oil.py": None},
            "depends_on": ["PKG-OIL-001"],
        }
    )
    assert reading.package is not None
    assert reading.package.dependencies == ("PKG-OIL-001",)
    assert [asset.path for asset in reading.package.assets] == ["HOT/lamp.py"]
    assert [claim.value for claim in reading.claims] == [f"sha256:{_HASH}"]
    assert [(problem.line, problem.message) for problem in source.problems()] == [
        (1, "version is missing"),
        (1, "schema_version is missing"),
        (1, "spec_id is missing"),
        (1, "framework_id is missing"),
        (3, "files is not in the standard; the list must be named assets"),
        (4, "the hash of HOT/lamp.py is not sha256:<64 hex digits>"),
        (7, "depends_on is not in the standard; the list must be named dependencies"),
    ]


def test_manifest_assets_without_path_or_hash_are_reported() -> None:
    """An asset needs a path, and a hash to be checked by."""
    value = {**_good(), "assets": [{"sha256": "x"}, {"path": "a.py"}, 3]}
    reading, source = _read(value)
    assert reading.package is not None
    assert [asset.path for asset in reading.package.assets] == ["a.py"]
    assert sorted(problem.message for problem in source.problems()) == [
        "a.py has no hash",
        "assets[0] has no path",
        "assets[2] should be an object, but is a number",
    ]


def test_manifest_that_is_no_object_is_reported() -> None:
    """A list or broken JSON gives a problem and no package."""
    for text in ("[1]", '{"package_id": '):
        source = Source.of_text("PKG-LAMP-001/manifest.json", text)
        assert read_manifest(source).package is None
        assert len(source.problems()) == 1


def test_manifest_files_may_be_a_list() -> None:
    """A list under the wrong name is read as well, in each of its shapes."""
    files = ["a.py", {"path": "b.py", "sha256": f"sha256:{_HASH}"}, 3]
    reading, _ = _read({**_good(), "assets": [], "files": files})
    assert reading.package is not None
    assert [(asset.path, asset.sha256) for asset in reading.package.assets] == [
        ("a.py", None),
        ("b.py", f"sha256:{_HASH}"),
    ]


def test_manifest_files_may_hold_objects() -> None:
    """Objects by path give their hash under either name."""
    reading, _ = _read({**_good(), "assets": [], "files": {"a.py": {"hash": _HASH}, "b.py": 4}})
    assert reading.package is not None
    assert [(asset.path, asset.sha256) for asset in reading.package.assets] == [("a.py", _HASH), ("b.py", None)]


def test_manifest_dependencies_of_a_wrong_type_are_reported() -> None:
    """An object instead of a list keeps its names; a number is no package."""
    kept, source = _read({**_good(), "dependencies": {"PKG-OIL-001": "1.0"}})
    assert kept.package is not None
    assert kept.package.dependencies == ("PKG-OIL-001",)
    assert [problem.message for problem in source.problems()] == ["dependencies should be a list, but is an object"]
    _, wrong = _read({**_good(), "dependencies": [7]})
    assert [problem.message for problem in wrong.problems()] == [
        "dependencies[0] should be the id of a package, but is a number"
    ]
