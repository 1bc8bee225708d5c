"""Whether the phase before is over and its data intact."""

from __future__ import annotations

import hashlib
import json

import pytest

from handoff_tui.checks.context import Answers, Context
from handoff_tui.checks.rule import NotApplicableError, Rule, UndecidableError
from handoff_tui.checks.rules.procedure.data_intact import data_intact
from handoff_tui.checks.rules.procedure.handing_over import context_transfer_complete, source_phase_complete
from handoff_tui.checks.rules.procedure.records import Record
from handoff_tui.checks.rules.procedure.state_consistent import judge_session, state_consistent
from handoff_tui.config.settings.procedures import Procedure, Procedures, ProcedureStep
from handoff_tui.config.settings.root import Settings
from handoff_tui.core.place import Place
from handoff_tui.handoffs.claim import ClaimKind, Verdict, VerdictState
from tests.support.format_states import (
    CONTEXT,
    EXECUTION,
    PATH,
    SESSION,
    cycle_world,
    files_world,
    note,
    procedure_world,
)
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
    assert judge(data_intact, world) == []


@pytest.mark.parametrize(
    ("metadata", "actual"),
    [
        ({"files": [{"path": "glaze/blue.txt", "sha256": OTHER}]}, SUM),
        ({"checksums": {"glaze/blue.txt": OTHER}}, SUM),
        ({"files": [{"path": "glaze/red.txt", "sha256": SUM}]}, "no content"),
        ({"files": [{"path": "glaze/blue.txt", "sha256": "to be done"}]}, "something else"),
    ],
)
def test_data_intact_names_sums_of_metadata_that_do_not(metadata: dict[str, object], actual: str) -> None:
    """Another content, no file, no sum: each at its line."""
    world = procedure_world({"metadata": metadata}, files={"glaze/blue.txt": GLAZE})
    (found,) = judge(data_intact, world)
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
    assert find_subjects(data_intact, MemoryWorld(files={"glaze/blue.txt": GLAZE, name: text})) == subjects


def test_data_intact_checks_the_hashes_of_results() -> None:
    """What results quote must be true now, or have been true at their commit."""
    files: dict[str, str | bytes] = {"glaze/blue.txt": GLAZE, RESULTS: results_with(SUM)}
    assert judge(data_intact, MemoryWorld(files=files)) == []
    files[RESULTS] = results_with(OTHER)
    world = MemoryWorld(files=files)
    assert find_subjects(data_intact, world) == ["checksum glaze/blue.txt"]
    overtaken = MemoryWorld(
        files=files, documents={RESULTS: "e" * 40}, old_files={("e" * 40, "glaze/blue.txt"): b"copper\n"}
    )
    assert judge(data_intact, overtaken) == []


def test_data_intact_cannot_tell_of_a_time_that_a_shallow_clone_lacks() -> None:
    """What is not true now may have been true then; a finding elsewhere is still told."""
    files: dict[str, str | bytes] = {"glaze/blue.txt": GLAZE, RESULTS: results_with(OTHER)}
    cut = frozenset({"e" * 40})
    with pytest.raises(UndecidableError, match=f"{RESULTS} was written"):
        judge(data_intact, MemoryWorld(files=files, documents={RESULTS: "e" * 40}, cut_off=cut))
    files["glaze/SHA256SUMS"] = f"{OTHER}  blue.txt\n"
    [found] = judge(data_intact, MemoryWorld(files=files, documents={RESULTS: "e" * 40}, cut_off=cut))
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
    assert find_subjects(data_intact, world) == ["checksum PKG-BOWL-001/bowl.py"]


def test_data_intact_believes_the_measurement_where_the_file_is_missing() -> None:
    """A hash of a file that is nowhere is a finding when it was measured as untrue."""
    world = MemoryWorld(files={RESULTS: results_with(SUM)})
    (handoff,) = world.handoffs()
    verdicts = tuple(
        Verdict(claim=claim, state=VerdictState.CONTRADICTED, evidence="no such file in this repository")
        for claim in handoff.claims
        if claim.kind is ClaimKind.HASH
    )
    found = judge(data_intact, MemoryWorld(files=world.files, measured={handoff.id: verdicts}))
    assert [entry.actual for entry in found] == ["no such file in this repository"]


def test_data_intact_cannot_tell_when_nothing_could_be_compared() -> None:
    """Hashes of files that are not here prove nothing, and do not pass for proof."""
    with pytest.raises(UndecidableError):
        judge(data_intact, MemoryWorld(files={RESULTS: results_with(SUM)}))


@pytest.mark.parametrize(
    ("execution", "subject", "line_has"),
    [
        ({"status": "in_progress"}, "kiln-3 status", '"status": "in_progress"'),
        ({"status": "rollback"}, "kiln-3 status", '"status": "rollback"'),
        ({"status": "napping"}, "kiln-3 status", '"status": "napping"'),
        ({"errors": ["too hot"]}, "kiln-3 blocker error-1", "too hot"),
        ({"step_results": [{"step_id": "7", "name": "Cool", "status": "running"}]}, "kiln-3 task 7", "{"),
    ],
)
def test_source_phase_complete_names_what_is_left(execution: dict[str, object], subject: str, line_has: str) -> None:
    """A status that is not complete, an error, a step that is not done: each with its place."""
    world = procedure_world(execution=execution)
    (found,) = judge(source_phase_complete, world)
    assert found.subject == subject
    assert found.message.startswith("VR001: ")
    assert found.place is not None
    assert found.place.line is not None
    assert line_has in str(world.files[PATH]).splitlines()[found.place.line - 1]


def test_source_phase_complete_fails_when_nothing_says_so() -> None:
    """A context alone isn't proof that its phase is over."""
    (found,) = judge(source_phase_complete, files_world({PATH: CONTEXT}))
    assert (found.subject, found.actual) == ("kiln-3 status", "no status")


def test_source_phase_complete_looks_at_the_last_execution() -> None:
    """An earlier failure that was repaired does not count; a later one does."""
    failed = {**EXECUTION, "execution_id": "run-7", "status": "failed", "errors": ["cracked"]}
    repaired = files_world({PATH: {"context": CONTEXT, "executions": [failed, EXECUTION]}})
    broken = files_world({PATH: {"context": CONTEXT, "executions": [EXECUTION, failed]}})
    assert judge(source_phase_complete, repaired) == []
    assert {found.subject for found in judge(source_phase_complete, broken)} == {
        "kiln-3 status",
        "kiln-3 blocker error-1",
    }


def test_source_phase_complete_fails_a_phase_that_is_tried_again() -> None:
    """GREEN that announces GREEN after a failure is not over."""
    world = cycle_world([note("RED"), note("GREEN", nextPhase="GREEN", testResult="FAIL", error="1 test fails")])
    assert find_subjects(source_phase_complete, world) == ["TDD-1 blocker error", "TDD-1 phase"]


def test_source_phase_complete_judges_every_handoff_with_a_target_phase() -> None:
    """Also those of other systems, such as a note that names the next phase."""
    text = "---\nphase: throw\nnext_phase: dry\nstatus: {}\n---\n\n# Handoff\n\nNext: turn the handles.\n"
    finished = MemoryWorld(files={"HANDOFF.md": text.format("complete")})
    underway = MemoryWorld(files={"HANDOFF.md": text.format("in progress")})
    assert judge(source_phase_complete, finished) == []
    assert [found.actual for found in judge(source_phase_complete, underway)] == ["IN_PROGRESS"]


def test_source_phase_complete_catches_failures_behind_a_good_status() -> None:
    """PASS over a regression that failed is not complete."""
    results = (
        "# RESULTS H-5\n\n## Status: PASS\n\n## Full Regression Test\n\n- Total: 12 tests\n- Passed: 10\n- Failed: 2\n"
    )
    found = judge(source_phase_complete, MemoryWorld(files={"handoffs/H-5/H-5_RESULTS.md": results}))
    assert [(entry.subject, entry.actual) for entry in found] == [("H-5 regression", "2 failed")]


def test_source_phase_complete_skips_what_has_not_begun() -> None:
    """A spec without results hands nothing over yet, and an empty repository neither."""
    spec = "# H-6: Mug\n\n## 1. Mission\n\nThrow a mug.\n\n## 2. Critical Constraints\n\n1. Clay\n"
    for files in ({"handoffs/H-6/H-6_BUILDER_HANDOFF.md": spec}, {}):
        with pytest.raises(NotApplicableError):
            judge(source_phase_complete, MemoryWorld(files=dict(files)))


FAILED_STEP = [{"name": "Readiness", "status": "failed"}]


def test_state_consistent_passes_a_sound_procedure() -> None:
    """Completed with all steps done, validated, nothing rolled back."""
    assert judge(state_consistent, procedure_world()) == []


def test_state_consistent_passes_a_failure_that_was_rolled_back() -> None:
    """Failure isn't an inconsistency if it is reported as one."""
    execution = {
        "status": "rollback",
        "step_results": FAILED_STEP,
        "errors": ["no glaze"],
        "rollback_performed": True,
        "rollback_results": [{"action": "rollback_context", "status": "completed"}],
    }
    results = [{"rule_id": "VR004", "passed": False}]
    world = procedure_world(None, execution, {"validation_results": results, "overall_result": False})
    assert judge(state_consistent, world) == []


@pytest.mark.parametrize(
    ("execution", "subject"),
    [
        ({"status": "napping"}, "run-8 state"),
        ({"status": None}, "run-8 state"),
        ({"status": "in_progress"}, "run-8 end"),
        ({"step_results": FAILED_STEP}, "run-8 step Readiness"),
        ({"step_results": [{"name": "Dip", "success": False}]}, "run-8 step Dip"),
        ({"errors": ["no glaze"]}, "run-8 errors"),
        ({"rollback_performed": True}, "run-8 rollback"),
        ({"status": "failed", "errors": ["no glaze"]}, "run-8 rollback"),
        ({"status": "rollback"}, "run-8 rollback"),
        ({"status": "failed", "rollback_performed": True}, "run-8 cause"),
        (
            {
                "status": "rollback",
                "rollback_performed": True,
                "rollback_results": [{"action": "undip", "status": "failed"}],
            },
            "run-8 rollback undip",
        ),
    ],
)
def test_state_consistent_names_an_execution_against_itself(execution: dict[str, object], subject: str) -> None:
    """State, end, steps, errors and rollback must fit each other."""
    (found,) = judge(state_consistent, procedure_world(execution=execution))
    assert found.subject == subject
    assert found.message.startswith("VR003: run-8 ")
    assert found.place is not None
    assert (found.place.path, found.place.line) == (PATH, 15)


def test_state_consistent_needs_no_rollback_where_there_is_none() -> None:
    """A configured procedure without a way back may simply fail."""
    steps = (ProcedureStep(name="wait", timeout_seconds=1),)
    settings = Settings(procedures=Procedures(procedures={"ONE_WAY": Procedure(steps=steps)}))
    execution = {"status": "failed", "errors": ["no glaze"], "procedure_id": "ONE_WAY"}
    world = procedure_world(None, execution, {"procedure_id": "OTHER"}, settings=settings)
    assert judge(state_consistent, world) == []


@pytest.mark.parametrize(
    ("results", "overall", "good"),
    [
        ([("VR004", True), ("VR007", True)], False, False),
        ([("VR004", False), ("VR007", True)], True, False),
        ([("VR003", False), ("VR006", True), ("VR007", True)], True, False),
        ([("VR003", False), *((f"X{number}", True) for number in range(4))], True, True),
        ([("VR004", False)], False, True),
    ],
)
def test_state_consistent_recounts_validation(results: list[tuple[str, bool]], overall: bool, good: bool) -> None:  # noqa: FBT001 - a table
    """A critical rule that failed, or too small a share, cannot be a pass; all passed cannot be a failure."""
    session = {
        "validation_results": [{"rule_id": rule, "passed": passed} for rule, passed in results],
        "overall_result": overall,
    }
    state = {"status": "completed"} if overall else {"status": "failed", "rollback_performed": True, "errors": ["x"]}
    assert find_subjects(state_consistent, procedure_world(None, state, session)) == (
        [] if good else ["look-8 overall result"]
    )


def test_state_consistent_compares_completion_with_validation() -> None:
    """Completed, though its validation failed."""
    results = [{"rule_id": "VR004", "passed": False}]
    found = judge(
        state_consistent, procedure_world(None, None, {"validation_results": results, "overall_result": False})
    )
    assert [entry.actual for entry in found] == ["validation failed"]


def test_state_consistent_compares_files() -> None:
    """One handoff in two files must go to one agent and be in one state."""
    second = {**CONTEXT, "target_agent": "painter", "status": "pending"}
    world = files_world({PATH: {"context": CONTEXT, "executions": [EXECUTION]}, "procedures/other.json": second})
    found = judge(state_consistent, world)
    assert {(entry.expected, entry.actual) for entry in found} == {("glazier", "painter"), ("pending", "completed")}


def test_state_consistent_finds_one_phase_passed_on_twice() -> None:
    """While both are open; once one is over, it is history."""
    first = {**CONTEXT, "status": "pending"}
    second = {**CONTEXT, "handoff_id": "kiln-4", "target_agent": "painter", "status": "in_progress"}
    world = files_world({"procedures/a.json": first, "procedures/b.json": second})
    assert find_subjects(state_consistent, world) == ["kiln-3 kiln-4 successors"]
    over = files_world({"procedures/a.json": first, "procedures/b.json": {**second, "status": "completed"}})
    assert judge(state_consistent, over) == []


def test_state_consistent_compares_state_file_and_note() -> None:
    """The state file of a cycle must be in the phase of the newest note."""
    state = json.dumps(note("RED"))
    assert judge(state_consistent, cycle_world([note("RED")], {".handoff.json": state})) == []
    found = judge(state_consistent, cycle_world([note("RED"), note("GREEN")], {".handoff.json": state}))
    assert [(entry.expected, entry.actual) for entry in found] == [("GREEN", "RED")]


WHERE = Place(path="procedures/kiln.json", line=4)


def test_session_takes_severities_from_the_configuration() -> None:
    """A rule that is critical there is so, though the session calls it low."""
    results = [{"rule_id": "VR001", "severity": "low", "passed": False}]
    results += [{"rule_id": f"X{number}", "severity": "low", "passed": True} for number in range(9)]
    session = Record({**SESSION, "validation_results": results}, WHERE)
    (found,) = judge_session(Context(Answers(MemoryWorld())), session)
    assert (found.subject, found.place) == ("look-8 overall result", WHERE)


def test_procedure_without_checksums_is_not_judged() -> None:
    """It neither passes nor fails."""
    with pytest.raises(NotApplicableError):
        judge(data_intact, procedure_world())


@pytest.mark.parametrize("rule", [source_phase_complete, state_consistent, context_transfer_complete])
def test_file_that_cannot_be_read_is_found(rule: Rule) -> None:
    """A procedure that isn't JSON is not passed over."""
    assert judge(rule, procedure_world()) == []
    assert f"unreadable {PATH}" in find_subjects(rule, MemoryWorld(files={PATH: '{"handoff_id": "kiln'}))
