from __future__ import annotations

import hashlib
import json

import pytest

from handoff_tui.checks.context import Answers, Context
from handoff_tui.checks.rule import NotApplicableError, UndecidableError
from handoff_tui.checks.rules.procedure.data_intact import DATA_INTACT, list_file_sums
from handoff_tui.handoffs.claim import ClaimKind, Verdict, VerdictState
from tests.support.procedures import PATH, procedure_world
from tests.support.world import MemoryWorld, find_subjects, judge

GLAZE = "cobalt\n"
SUM = hashlib.sha256(GLAZE.encode()).hexdigest()
OTHER = hashlib.sha256(b"copper\n").hexdigest()
RESULTS = "handoffs/H-5/H-5_RESULTS.md"
MANIFEST = "PKG-BOWL-001/manifest.json"


def results_with(digest: str, path: str = "glaze/blue.txt") -> str:
    return f"# RESULTS H-5\n\n## Status: PASS\n\n## Files Created\n\n- `{path}` (SHA256: sha256:{digest})\n"


@pytest.mark.parametrize(
    "metadata",
    [
        {"files": [{"path": "glaze/blue.txt", "sha256": SUM}]},
        {"checksums": {"glaze/blue.txt": f"sha256:{SUM.upper()}"}},
        {"file": "glaze/blue.txt", "checksum": SUM},
        {"name": "blue", "hash": "4f2a91c"},
    ],
)
def test_data_intact_passes_sums_that_match(metadata: dict[str, object]) -> None:
    """In every shape; a short hash of something else is none of ours."""
    world = procedure_world(
        {"metadata": metadata}, files={"glaze/blue.txt": GLAZE, "SHA256SUMS": f"{SUM}  glaze/blue.txt\n"}
    )
    assert judge(DATA_INTACT, world) == []


@pytest.mark.parametrize(
    ("metadata", "actual"),
    [
        ({"files": [{"path": "glaze/blue.txt", "sha256": OTHER}]}, f"{SUM[:12]}…"),
        ({"checksums": {"glaze/blue.txt": OTHER}}, f"{SUM[:12]}…"),
        ({"files": [{"path": "glaze/red.txt", "sha256": SUM}]}, "no content"),
        ({"files": [{"path": "glaze/blue.txt", "sha256": "to be done"}]}, "something else"),
    ],
)
def test_data_intact_names_sums_of_metadata_that_do_not(metadata: dict[str, object], actual: str) -> None:
    """Another content, no file, no sum: each at its line."""
    world = procedure_world({"metadata": metadata}, files={"glaze/blue.txt": GLAZE})
    (found,) = judge(DATA_INTACT, world)
    assert found.actual == actual
    assert found.message.startswith("VR008: ")
    assert found.place is not None
    assert found.place.path == PATH
    assert found.place.line is not None


@pytest.mark.parametrize(
    ("name", "text", "subjects"),
    [
        ("glaze/SHA256SUMS", f"{SUM}  blue.txt\n{SUM} *./blue.txt\n", []),
        ("glaze/blue.txt.sha256", f"{SUM}\n", []),
        ("glaze/SHA256SUMS", f"# sums\n{OTHER}  blue.txt\n", ["checksum glaze/blue.txt"]),
        ("glaze/blue.txt.sha256", f"{OTHER}  blue.txt\n", ["checksum glaze/blue.txt"]),
        ("glaze/SHA256SUMS", f"{SUM}  red.txt\n", ["checksum glaze/red.txt"]),
        ("glaze/SHA256SUMS", "not a sum\n", ["checksum not a sum"]),
    ],
)
def test_data_intact_checks_lists_of_sums(name: str, text: str, subjects: list[str]) -> None:
    """Paths are relative to the list."""
    found = judge(DATA_INTACT, MemoryWorld(files={"glaze/blue.txt": GLAZE, name: text}))
    assert [entry.subject for entry in found] == subjects


def test_data_intact_checks_the_hashes_of_results() -> None:
    """What results quote must be true now, or have been true at their commit."""
    files: dict[str, str | bytes] = {"glaze/blue.txt": GLAZE, RESULTS: results_with(SUM)}
    assert judge(DATA_INTACT, MemoryWorld(files=files)) == []
    files[RESULTS] = results_with(OTHER)
    world = MemoryWorld(files=files)
    assert find_subjects(DATA_INTACT, world) == ["checksum glaze/blue.txt"]
    overtaken = MemoryWorld(
        files=files, documents={RESULTS: "e" * 40}, old_files={("e" * 40, "glaze/blue.txt"): b"copper\n"}
    )
    assert judge(DATA_INTACT, overtaken) == []


def test_data_intact_cannot_tell_of_a_time_that_a_shallow_clone_lacks() -> None:
    """What is not true now may have been true then; a finding elsewhere is still told."""
    files: dict[str, str | bytes] = {"glaze/blue.txt": GLAZE, RESULTS: results_with(OTHER)}
    cut = frozenset({"e" * 40})
    with pytest.raises(UndecidableError, match=f"{RESULTS} was written"):
        judge(DATA_INTACT, MemoryWorld(files=files, documents={RESULTS: "e" * 40}, cut_off=cut))
    files["glaze/SHA256SUMS"] = f"{OTHER}  blue.txt\n"
    [found] = judge(DATA_INTACT, MemoryWorld(files=files, documents={RESULTS: "e" * 40}, cut_off=cut))
    assert found.message.startswith("VR008: glaze/SHA256SUMS")


def test_data_intact_holds_a_manifest_to_the_present() -> None:
    """A manifest that was true once is wrong now."""
    manifest = {
        "package_id": "PKG-BOWL-001",
        "version": "1.0.0",
        "schema_version": "1.2",
        "spec_id": "S-1",
        "framework_id": "F-1",
        "plane_id": "p",
        "assets": [{"path": "bowl.py", "sha256": f"sha256:{OTHER}", "classification": "code"}],
        "dependencies": [],
    }
    world = MemoryWorld(
        files={MANIFEST: json.dumps(manifest, indent=1), "PKG-BOWL-001/bowl.py": GLAZE},
        documents={MANIFEST: "e" * 40},
        old_files={("e" * 40, "PKG-BOWL-001/bowl.py"): b"copper\n"},
    )
    assert find_subjects(DATA_INTACT, world) == ["checksum PKG-BOWL-001/bowl.py"]


def test_data_intact_believes_the_measurement_where_the_file_is_missing() -> None:
    """A hash of a file that is nowhere is a finding when it was measured as untrue."""
    world = MemoryWorld(files={RESULTS: results_with(SUM)})
    (handoff,) = world.handoffs()
    verdicts = tuple(
        Verdict(claim=claim, state=VerdictState.CONTRADICTED, evidence="no such file in this repository")
        for claim in handoff.claims
        if claim.kind is ClaimKind.HASH
    )
    found = judge(DATA_INTACT, MemoryWorld(files=world.files, measured={handoff.id: verdicts}))
    assert [entry.actual for entry in found] == ["no such file in this repository"]


def test_data_intact_cannot_tell_when_nothing_could_be_compared() -> None:
    """Hashes of files that are not here prove nothing, and do not pass for proof."""
    with pytest.raises(UndecidableError):
        judge(DATA_INTACT, MemoryWorld(files={RESULTS: results_with(SUM)}))


def test_data_intact_does_not_apply_without_sums() -> None:
    """A procedure that names none has nothing to compare."""
    with pytest.raises(NotApplicableError):
        judge(DATA_INTACT, procedure_world())


DIGITS = "0123456789abcdef" * 4


def test_lists_of_sums_are_known_by_their_names() -> None:
    """A name that only ends like one is another file."""
    text = f"{DIGITS}  a.txt\n"
    world = MemoryWorld(files={"x/SHA256SUMS": text, "OLDSHA256SUMS": text, "b.txt.sha256": DIGITS})
    found = [(entry.path, str(entry.where)) for entry in list_file_sums(Context(Answers(world)))]
    assert found == [("b.txt", "b.txt.sha256:1"), ("x/a.txt", "x/SHA256SUMS:1")]
