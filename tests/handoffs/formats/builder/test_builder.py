"""Whole repositories of builders."""

from __future__ import annotations

import json

import pytest

from handoff_tui.core.place import Problem
from handoff_tui.handoffs.claim import ClaimKind
from handoff_tui.handoffs.formats.builder.format import BUILDER
from handoff_tui.handoffs.formats.builder.packages import ManifestReading, read_manifest
from handoff_tui.handoffs.formats.builder.recognition import recognise
from handoff_tui.handoffs.handoff import CONTRADICTION, DocumentRole, Handoff, RegistryState
from handoff_tui.handoffs.reading.format import Confidence, FormatReading, Source
from tests.support.memory_files import MemoryFiles, read_with

_HASH = "0a" * 32


def _spec(number: str, more: str = "") -> str:
    sections = "## 1. Mission\n\nLight.\n\n## 2. Critical Constraints\n\n## 6. Test Plan\n"
    return f"# BUILDER HANDOFF {number}: Lamp\n\n{more}\n\n{sections}"


def _results(handoff: str, status: str = "PASS", more: str = "") -> str:
    head = f"# Results: {handoff} — Lamp\n\n**Agent**: Ada\n\n## Status: {status}"
    return f"{head}\n\n## Files Created\n- `a.py`\n\n{more}\n"


def _manifest(package: str) -> str:
    assets = [{"path": "a.py", "sha256": f"sha256:{_HASH}"}]
    keys = dict.fromkeys(("version", "schema_version", "spec_id", "framework_id"), "1")
    return json.dumps({"package_id": package, **keys, "assets": assets})


def _read(files: dict[str, str]) -> tuple[dict[str, Handoff], list[Problem], FormatReading]:
    shelf = MemoryFiles(files)
    reading = read_with(BUILDER, shelf)
    problems = [*reading.problems, *(problem for path in shelf.paths for problem in shelf.source(path).problems())]
    return {handoff.id: handoff for handoff in reading.handoffs}, problems, reading


def test_layouts_meet_in_one_handoff() -> None:
    """A flat spec and nested results of one id are one handoff."""
    handoffs, problems, _ = _read(
        {
            "old/BUILDER_HANDOFF_7_lamp.md": _spec("7"),
            "new/H-7/H-7_RESULTS.md": _results("HANDOFF-7"),
            "FMWK-001_Oil/RESULTS.md": _results("FMWK-001"),
        }
    )
    assert sorted(handoffs) == ["FMWK-001_Oil", "H-7"]
    lamp = handoffs["H-7"]
    assert (lamp.original_name, lamp.title, lamp.status) == ("HANDOFF_7", "Lamp", "PASS")
    assert (lamp.source_phase, lamp.target_phase, lamp.source_agent, lamp.producers) == (
        "build",
        "review",
        "Ada",
        ("Ada",),
    )
    assert [document.role for document in lamp.documents] == [DocumentRole.SPEC, DocumentRole.RESULTS]
    assert lamp.registry is RegistryState.COMPLETE
    assert problems == []


@pytest.mark.parametrize(
    ("spec", "results", "wanted"),
    [
        ("BUILDER_HANDOFF_31A1_lamp.md", "RESULTS_HANDOFF_31A1.md", "H-31A1"),
        ("BUILDER_FOLLOWUP_31E-1_wick.md", "H-31E-1/H-31E-1_RESULTS.md", "H-31E-1"),
        ("handoffs/FMWK008A/BUILDER_HANDOFF.md", "RESULTS_FMWK008A.md", "FMWK-008A"),
        ("31A1/31A1_BUILDER_HANDOFF.md", "RESULTS_FOLLOWUP_31A1.md", "H-31A1"),
        ("BUILDER_HANDOFF_29_1A_lamp.md", "29_1A/29_1A_RESULTS.md", "H-29.1A"),
        ("FMWK-009_Oil/SPEC.md", "RESULTS_HANDOFF_FMWK-009.md", "FMWK-009_Oil"),
    ],
)
def test_spec_and_results_of_one_id_are_one_handoff(spec: str, results: str, wanted: str) -> None:
    """Also with ids for parts of a follow-up, and frameworks without a hyphen or with a longer name."""
    name = wanted.replace("H-", "HANDOFF-").partition("_")[0]
    handoffs, problems, _ = _read({spec: _spec("", ""), results: _results(name)})
    assert list(handoffs) == [wanted]
    assert {document.role for document in handoffs[wanted].documents} == {DocumentRole.SPEC, DocumentRole.RESULTS}
    assert problems == []


@pytest.mark.parametrize(
    ("prompt", "more", "greenlit"),
    [
        ("answer the 10 questions", {}, False),
        ("answer the 10 questions", {"RESULTS_HANDOFF_7.md": _results("HANDOFF-7")}, None),
        ("Prompt contract: 1.2\n\nanswer the 13 questions", {"RESULTS_HANDOFF_7.md": _results("HANDOFF-7")}, False),
    ],
    ids=["waiting", "in-chat", "contract"],
)
def test_greenlight_given_in_chat_is_not_known(prompt: str, more: dict[str, str], *, greenlit: bool | None) -> None:
    """Before prompts had a contract, nothing was written down; finished work of that time is not blamed for it."""
    text = f"# Agent Prompt: HANDOFF-7\n\n{prompt}, then STOP and WAIT for approval.\n\n1. Why?\n2. How?\n\nSTOP\n"
    handoffs, _, _ = _read({"AGENT_PROMPT_HANDOFF_7.md": text, **more})
    assert handoffs["H-7"].greenlit is greenlit


def test_files_of_several_packages_are_told_apart() -> None:
    """A heading or a line about a folder says where the paths below it are."""
    more = (
        "## Files Modified\n\n### PKG-A-001\n- `manifest.json`\n- `PKG-A-001/x.py`\n\n### PKG-B-002 (v1.0)\n"
        "- `manifest.json`\n\n## Files Added\n\nAll files in `staging/oil/`:\n\n- `tank.py`\n"
    )
    handoffs, _, _ = _read({"RESULTS_HANDOFF_7.md": _results("HANDOFF-7", more=more)})
    named = [claim.subject for claim in handoffs["H-7"].claims if claim.kind is not ClaimKind.STATUS]
    assert named == [
        "a.py",
        "PKG-A-001/manifest.json",
        "PKG-A-001/x.py",
        "PKG-B-002/manifest.json",
        "staging/oil/tank.py",
    ]


def test_evidence_of_a_run_is_read_and_compared() -> None:
    """Hashes tie files together, by name or by a key that means one; events and status must not part."""
    evidence = {"results_hash": f"sha256:{_HASH}", "q13_answers_hash": f"sha256:{_HASH}", "prompt_hash": "none"}
    events = [
        {"seq": 1, "time": "2031-01-02T10:00:00Z"},
        {"seq": 3, "time": "2031-01-02T09:00:00Z", "status": "failed"},
    ]
    handoffs, problems, reading = _read(
        {
            "H-7/H-7_RESULTS.md": _results("HANDOFF-7"),
            "H-7/13Q_ANSWERS.md": "# H-7\n\n1. a\n2. b\n3. c\n",
            "H-7/builder_evidence.json": json.dumps(evidence),
            "H-7/runs/1/events.jsonl": "\n".join(map(json.dumps, events)),
            "H-7/runs/1/status.json": json.dumps({"status": "completed"}),
            "RESULTS_HANDOFF_8.md": _results("HANDOFF-8"),
            "H8_evidence.json": json.dumps({"RESULTS_HANDOFF_8.md": f"sha256:{_HASH}"}),
            "RESULTS_HANDOFF_31A1.md": _results("HANDOFF-31A1"),
            "31A1_evidence.json": json.dumps({"status": "FAIL"}),
        }
    )
    tied = [claim.subject for claim in handoffs["H-7"].claims if claim.kind is ClaimKind.HASH]
    assert tied == ["H-7/H-7_RESULTS.md", "H-7/13Q_ANSWERS.md"]
    assert [claim.subject for claim in handoffs["H-8"].claims if claim.kind is ClaimKind.HASH] == [
        "RESULTS_HANDOFF_8.md"
    ]
    assert reading.used >= {"H-7/runs/1/events.jsonl", "H-7/runs/1/status.json", "H8_evidence.json"}
    assert problems == []
    assert [fact.value for fact in handoffs["H-31A1"].facts if fact.name == CONTRADICTION] == [
        "the evidence says FAIL, but the results say PASS"
    ]
    assert sorted(fact.value for fact in handoffs["H-7"].facts if fact.name == CONTRADICTION) == [
        "event 3 follows event 1",
        "the event of 2031-01-02T09:00:00Z comes after one of 2031-01-02T10:00:00Z",
        "the run says completed, but its last event says failed",
    ]


@pytest.mark.parametrize(
    ("evidence", "said"),
    [
        ({"command": "pytest", "exit_code": 1}, ["exit_code 1"]),
        ({"exit_code": 0, "passed": 2, "failed": 1}, ["1 failed"]),
        ({"result": "ok", "tests": {"passed": 2, "failed": 1}}, ["1 failed"]),
        ({"exit_code": 0, "failed": 0, "tests": {"passed": 3, "failed": 0}}, []),
        ({"failed": ["test_x"], "exit_code": "1"}, []),
    ],
)
def test_evidence_that_counts_a_failure_refutes_results_that_pass(evidence: dict[str, object], said: list[str]) -> None:
    """By its exit code or its numbers; not if the results report failures themselves."""
    files = {"H-7/H-7_RESULTS.md": _results("HANDOFF-7"), "H-7/tests_evidence.json": json.dumps(evidence)}
    found = [fact.value for fact in _read(files)[0]["H-7"].facts if fact.name == CONTRADICTION]
    assert found == [f"the evidence says {one}, but the results say PASS" for one in said]
    admitted = files["H-7/H-7_RESULTS.md"] + "\n## Full Regression Test\n- Total: 9\n- Passed: 8\n- Failed: 1\n"
    facts = _read(files | {"H-7/H-7_RESULTS.md": admitted})[0]["H-7"].facts
    assert all(fact.name != CONTRADICTION for fact in facts)


def test_results_whose_headings_are_unknown_lack_nothing() -> None:
    """What can't be read may be there; one heading that is known tells that the others are missing."""
    spanish = "# Resultados: H-7\n\n## Estado: PASS\n\n## Archivos creados\n- `src/a.py`\n\n## Pruebas\n- Total: 4\n"
    handoffs, problems, _ = _read({"H-7/H-7_RESULTS.md": spanish})
    assert [document.missing for document in handoffs["H-7"].documents] == [()]
    assert [problem.message for problem in problems] == [
        "no heading is understood, so it can't be told what is missing"
    ]
    mixed, _, _ = _read({"H-7/H-7_RESULTS.md": spanish.replace("Archivos creados", "Files Created")})
    assert "Test Results" in mixed["H-7"].documents[0].missing


def test_spec_without_the_later_sections_goes_by_its_own_title() -> None:
    """`HOUSEKEEPING_28_tidy.md` may be anybody's; an identity and a title with the same id make it a builder's."""
    identity = "## 1. Identity\n\n| Field | Value |\n| --- | --- |\n| Handoff | HOUSEKEEPING-28 |\n"
    handoffs, _, _ = _read({"HOUSEKEEPING_28_tidy.md": f"# HOUSEKEEPING-28: Tidy\n\n{identity}"})
    assert list(handoffs) == ["HOUSEKEEPING-28"]
    assert (
        recognise(MemoryFiles({"CLEANUP_2_plan.md": "# Cleanup of 2031\n\n## Plan\n"}).source("CLEANUP_2_plan.md")) == 0
    )


def test_title_that_disagrees_with_the_name_is_a_problem() -> None:
    """File name and title must be about the same handoff; a dot and an underscore are the same."""
    handoffs, problems, _ = _read(
        {"BUILDER_HANDOFF_7_lamp.md": _spec("8"), "RESULTS_HANDOFF_41_2C.md": _results("HANDOFF-41.2C")}
    )
    assert sorted(handoffs) == ["H-41.2C", "H-7"]
    assert [(problem.path, problem.line, problem.message) for problem in problems] == [
        ("BUILDER_HANDOFF_7_lamp.md", 1, "is named for H-7, but its title says H-8")
    ]


def test_two_specs_with_one_number_are_both_kept() -> None:
    """The second has a suffix of its own, takes the results that fit it, and a problem names both."""
    handoffs, problems, _ = _read(
        {
            "BUILDER_HANDOFF_7_lamp.md": _spec("7", "one"),
            "BUILDER_HANDOFF_7_oil.md": _spec("7", "two"),
            "RESULTS_HANDOFF_7_oil.md": _results("HANDOFF-7"),
        }
    )
    assert sorted(handoffs) == ["H-7", "H-7-oil"]
    assert handoffs["H-7-oil"].status == "PASS"
    assert handoffs["H-7"].registry is RegistryState.NOT_DISPATCHED
    assert [(problem.path, "BUILDER_HANDOFF_7_lamp.md" in problem.message) for problem in problems] == [
        ("BUILDER_HANDOFF_7_oil.md", True)
    ]


def test_attempt_stated_inside_a_document_counts() -> None:
    """The field decides where the name does not."""
    handoffs, problems, _ = _read(
        {
            "a/RESULTS_HANDOFF_7.md": _results("H-7", "PASS").replace("**Agent**", "**Attempt**: 3\n**Agent**"),
            "b/RESULTS_HANDOFF_7.md": _results("H-7", "FAIL"),
            "c/RESULTS_HANDOFF_7.md": _results("H-7", "PARTIAL").replace("**Agent**", "**Attempt**: 3\n**Agent**"),
        }
    )
    assert [(attempt.number, attempt.status) for attempt in handoffs["H-7"].attempts] == [
        (1, "FAIL"),
        (3, "PASS"),
        (3, "PARTIAL"),
    ]
    assert [problem.message for problem in problems] == ["is attempt 3, as is a/RESULTS_HANDOFF_7.md"]


def test_question_gate_needs_a_person() -> None:
    """Answers are marked; without a greenlight the gate is shut, with one the work is approved."""
    prompt = "# Agent Prompt: H-7\n\nAnswer these questions, then STOP:\n\n1. Wick?\n2. Oil?\n"
    files = {
        "H-7/H-7_BUILDER_HANDOFF.md": _spec("7"),
        "H-7/H-7_AGENT_PROMPT.md": prompt,
        "H-7/H-7_13Q_ANSWERS.md": "# Answers\n\n1. Cotton.\n",
    }
    shut = _read(files)[0]["H-7"]
    assert (shut.greenlit, shut.registry) == (False, RegistryState.DISPATCHED)
    assert [question.answered for question in shut.questions] == [True, False]
    files["H-7/H-7_13Q_ANSWERS.md"] += "\nGreenlight: YES by Ada\n"
    opened = _read(files)[0]["H-7"]
    assert (opened.greenlit, opened.registry) == (True, RegistryState.APPROVED)
    assert _read({"BUILDER_HANDOFF_7_lamp.md": _spec("7")})[0]["H-7"].greenlit is None


def test_blocked_handoffs_wait_for_validation() -> None:
    """What waits for a known handoff that is not validated is blocked."""
    handoffs, _, _ = _read(
        {
            "BUILDER_HANDOFF_7_lamp.md": _spec("7", "Blocked-By: H-3, H-99"),
            "RESULTS_HANDOFF_3.md": _results("HANDOFF-3"),
        }
    )
    assert handoffs["H-7"].blocked_by == ("H-3", "H-99")
    assert handoffs["H-7"].registry is RegistryState.BLOCKED


def test_superseded_by_the_word_of_another() -> None:
    """Another handoff's results may retire one."""
    handoffs, _, _ = _read(
        {
            "BUILDER_HANDOFF_7_lamp.md": _spec("7"),
            "RESULTS_CLEANUP_2.md": _results("CLEANUP-2", "PASS", "## Notes\n- HANDOFF-7 row is now `SUPERSEDED`\n"),
        }
    )
    assert handoffs["H-7"].registry is RegistryState.SUPERSEDED


def test_registry_kept_by_hand_stands_beside_the_derived_one() -> None:
    """Its rows are facts; a difference, and a row without files, are problems."""
    table = (
        "# Registry\n\n| Handoff | Status | Blocked By |\n|-|-|-|\n| H-7 | VALIDATED | H-3 |\n| H-8 | COMPLETE | |\n"
    )
    handoffs, problems, _ = _read({"RESULTS_HANDOFF_7.md": _results("HANDOFF-7"), "REGISTRY.md": table})
    facts = [fact for fact in handoffs["H-7"].facts if fact.name == "registry says"]
    assert [(fact.value, str(fact.where)) for fact in facts] == [("VALIDATED", "REGISTRY.md:5")]
    assert handoffs["H-7"].blocked_by == ("H-3",)
    assert [(problem.line, problem.message) for problem in problems] == [
        (5, "the registry has H-7 as VALIDATED, but its files say COMPLETE"),
        (6, "the registry has H-8 as COMPLETE, but there are no files of it"),
    ]


def test_registry_alone_is_shown() -> None:
    """A registry whose handoffs have no files is a document still."""
    handoffs, _, _ = _read({"REGISTRY.md": "| Handoff | Status |\n|-|-|\n| H-8 | COMPLETE |\n"})
    assert [document.path for document in handoffs["registry"].documents] == ["REGISTRY.md"]


def test_packages_go_to_those_who_name_them() -> None:
    """A package belongs to the work it is named in, not to a list of all packages; the rest is kept together."""
    handoffs, _, _ = _read(
        {
            "RESULTS_HANDOFF_7.md": _results("HANDOFF-7", "PASS", "## What Was Built\n\nPKG-LAMP-001\n"),
            "RESULTS_HANDOFF_8.md": _results(
                "HANDOFF-8", "PASS", "## Baseline Snapshot\n- PKG-LAMP-001, PKG-WICK-001\n"
            ),
            "PKG-LAMP-001/manifest.json": _manifest("PKG-LAMP-001"),
            "PKG-WICK-001/manifest.json": _manifest("PKG-WICK-001"),
            "PKG-OIL-001/manifest.json": _manifest("PKG-OIL-001"),
        }
    )
    assert [package.id for package in handoffs["H-7"].packages] == ["PKG-LAMP-001"]
    assert [package.id for package in handoffs["H-8"].packages] == ["PKG-WICK-001"]
    assert [package.id for package in handoffs["packages"].packages] == ["PKG-OIL-001"]
    assert handoffs["packages"].title == "Packages without a handoff"
    assert [claim.subject for claim in handoffs["packages"].claims] == ["PKG-OIL-001/a.py"]


def test_evidence_of_a_handoff_is_used() -> None:
    """Events and evidence below the handoff's folder are documents; those elsewhere are not ours."""
    handoffs, _, reading = _read(
        {
            "H-7/H-7_RESULTS.md": _results("H-7"),
            "H-7/runs/1/events.jsonl": '{"a": 1}\n{"a": 2}\n',
            "H-7/evidence.json": f'{{"H-7_RESULTS.md": "sha256:{_HASH}"}}',
            "other/events.jsonl": "{}\n",
        }
    )
    lamp = handoffs["H-7"]
    assert reading.used == {"H-7/runs/1/events.jsonl", "H-7/evidence.json"}
    assert [document.role for document in lamp.documents] == [
        DocumentRole.RESULTS,
        DocumentRole.OTHER,
        DocumentRole.LOG,
    ]
    assert [fact.value for fact in lamp.facts if fact.name == "events"] == ["2"]
    assert [claim.subject for claim in lamp.claims][-1] == "H-7/H-7_RESULTS.md"


def test_prompt_of_an_older_contract_is_a_problem() -> None:
    """The prompt must follow the contract in force."""
    _, problems, reading = _read(
        {
            "AGENT_PROMPT_HANDOFF_7.md": "# Agent Prompt: H-7\n\nContract version: 1.1\n\nA builder agent. STOP.\n",
            "handoffs/BUILDER_PROMPT_CONTRACT.md": "# Contract\n\n**Version**: 1.2\n",
        }
    )
    assert reading.used == {"handoffs/BUILDER_PROMPT_CONTRACT.md"}
    assert [(problem.path, problem.line) for problem in problems] == [("AGENT_PROMPT_HANDOFF_7.md", 3)]


def test_broken_files_stay_visible() -> None:
    """Empty results and a broken manifest are documents, with nothing read from them."""
    handoffs, problems, _ = _read({"RESULTS_HANDOFF_7.md": "", "PKG-LAMP-001/manifest.json": "{"})
    assert (handoffs["H-7"].status, len(handoffs["H-7"].documents)) == (None, 1)
    assert (len(handoffs["packages"].documents), handoffs["packages"].packages) == (1, ())
    assert [document.confidence for document in handoffs["H-7"].documents] == [Confidence.POSSIBLE]
    assert [problem.path for problem in problems] == ["PKG-LAMP-001/manifest.json", "RESULTS_HANDOFF_7.md"]


def test_frameworks_block_by_their_number() -> None:
    """A framework that is a handoff here is found by its number; one that is none blocks nothing."""
    handoffs, problems, _ = _read(
        {
            "BUILDER_HANDOFF_7_lamp.md": _spec("7", "Depends on: FMWK-001, FMWK-000"),
            "FMWK-001_Oil/RESULTS.md": _results("FMWK-001"),
            "REGISTRY.md": "| Handoff | Status |\n|-|-|\n| FMWK-001 | COMPLETE |\n",
        }
    )
    assert handoffs["H-7"].blocked_by == ("FMWK-001_Oil",)
    assert handoffs["H-7"].registry is RegistryState.BLOCKED
    assert problems == []


def test_identity_that_disagrees_with_the_name_is_a_problem() -> None:
    """The id in the identity table must be that of the file."""
    table = "## Identity\n\n| Field | Value |\n|-|-|\n| Handoff ID | HANDOFF-8 |\n"
    _, problems, _ = _read({"BUILDER_HANDOFF_7_lamp.md": _spec("7") + table})
    assert [problem.message for problem in problems] == ["is named for H-7, but says it is H-8"]


def test_prompt_inside_the_spec_makes_a_gate_but_dispatches_nothing() -> None:
    """Questions in the spec are questions; only a prompt file shows that it was handed out."""
    prompt = "## 12. Agent Prompt\n\n```\nAnswer these questions:\n\n1. Wick?\n\nSTOP.\n```\n"
    lamp = _read({"BUILDER_HANDOFF_7_lamp.md": _spec("7") + prompt})[0]["H-7"]
    assert (len(lamp.questions), lamp.greenlit, lamp.registry) == (1, False, RegistryState.NOT_DISPATCHED)
    assert "stop for approval" in [fact.name for fact in lamp.facts]


def test_verdict_on_an_earlier_attempt_is_history() -> None:
    """A second attempt is not failed by the evaluation of the first."""
    files = {
        "H-7/H-7_RESULTS_ATTEMPT_1.md": _results("H-7", "FAIL"),
        "H-7/H-7_RESULTS_ATTEMPT_2.md": _results("H-7", "PASS", "again"),
        "H-7/EVALUATION_REPORT_ATTEMPT_1.md": "# Evaluation of H-7\n\nFinal verdict: FAIL\n",
    }
    lamp = _read(files)[0]["H-7"]
    assert lamp.registry is RegistryState.COMPLETE
    assert all(claim.kind is not ClaimKind.VERDICT for claim in lamp.claims)
    assert [
        (fact.value, fact.where.line if fact.where else None) for fact in lamp.facts if "attempt 1" in fact.name
    ] == [("FAIL", 3)]
    files["H-7/EVALUATION_REPORT_ATTEMPT_2.md"] = "# Evaluation of H-7\n\nFinal verdict: FAIL\n"
    assert _read(files)[0]["H-7"].registry is RegistryState.FAILED


_RESULTS = "# Results: H-7 — Lamp\n\n## Status: PASS\n\n## Files Created\n- NONE\n\n## Test Results\n- Total: 3\n"
_SPEC = "# Lamp\n\n## 1. Mission\n\n## 2. Critical Constraints\n\n## 6. Test Plan\n"
_MANIFEST = '{"package_id": "PKG-LAMP-001", "assets": []}'


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("RESULTS_HANDOFF_7.md", _RESULTS, Confidence.CERTAIN),
        ("FMWK-001_Lamp/RESULTS.md", _RESULTS, Confidence.CERTAIN),
        ("paper/RESULTS.md", _RESULTS, Confidence.CERTAIN),
        ("paper/RESULTS.md", "# Results\n\n## Test Results\n\nThe accuracy is 93 %.\n", Confidence.NO),
        ("RESULTS_HANDOFF_7.md", "# Holiday\n\nSun and sea.\n", Confidence.NO),
        ("RESULTS_HANDOFF_7.md", "# Results: HANDOFF-7\n", Confidence.LIKELY),
        ("RESULTS_HANDOFF_7.md", "", Confidence.POSSIBLE),
        ("paper/RESULTS.md", "", Confidence.NO),
        ("BUILDER_HANDOFF_7_lamp.md", _SPEC, Confidence.CERTAIN),
        ("BUILDER_HANDOFF_7_lamp.md", "# BUILDER HANDOFF 7\n", Confidence.LIKELY),
        ("BUILDER_HANDOFF_7_lamp.md", "# Pancakes\n\nFlour and milk.\n", Confidence.NO),
        ("api/SPEC.md", _SPEC, Confidence.CERTAIN),
        ("api/SPEC.md", "# Interface\n\n## Test Plan\n", Confidence.NO),
        ("AGENT_PROMPT_HANDOFF_7.md", "# Agent Prompt\n\nAnswer these questions, then STOP.\n", Confidence.CERTAIN),
        ("bot/AGENT_PROMPT.md", "You are a helpful parrot.\n", Confidence.NO),
        ("H-7/13Q_ANSWERS.md", "# Answers\n\n1. a\n2. b\n3. c\n", Confidence.CERTAIN),
        ("H-7/13Q_ANSWERS.md", "Later.\n", Confidence.NO),
        ("x/REVIEW_REPORT.md", "Fine.\n\nReview verdict: PASS", Confidence.CERTAIN),
        ("x/REVIEW_REPORT.md", "# Film review\n\nFine.\n", Confidence.NO),
        ("H-7/REVIEW_REPORT.md", "# Review of H-7\n\nCut o", Confidence.POSSIBLE),
        ("PKG-LAMP-001/manifest.json", _MANIFEST, Confidence.CERTAIN),
        ("lamp/manifest.json", _MANIFEST, Confidence.CERTAIN),
        ("lamp/manifest.json", '{"manifest_version": 3, "name": "Lamp", "version": "1"}', Confidence.NO),
        ("PKG-LAMP-001/manifest.json", '{"manifest_version": 3, "files": {}, "spec_id": "x"}', Confidence.NO),
        ("PKG-LAMP-001/manifest.json", '{"spec_id": "SPEC-LAMP-001", "files": {}}', Confidence.LIKELY),
        ("PKG-LAMP-001/manifest.json", '{"package_id": ', Confidence.POSSIBLE),
        ("lamp/manifest.json", '{"package_id": ', Confidence.NO),
        ("REGISTRY.md", "| Handoff | Status |\n|-|-|\n| H-7 | COMPLETE |\n", Confidence.LIKELY),
        ("REGISTRY.md", "# Container registry\n", Confidence.NO),
        ("README.md", _RESULTS, Confidence.NO),
    ],
)
def test_confidence_follows_the_content(path: str, text: str, expected: float) -> None:
    """A name alone is never more than a possibility, and another's content is never ours."""
    assert recognise(Source.of_text(path, text)) == expected


def _read_manifest(value: object) -> tuple[ManifestReading, Source]:
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


def test_manifest_hashes_are_claims() -> None:
    """Each hash is claimed for the file beside the manifest, at the line of the hash."""
    claims = _read_manifest(_good())[0].claims
    assert [(claim.subject, claim.value, claim.where.line) for claim in claims] == [
        ("pkgs/PKG-LAMP-001/HOT/lamp.py", f"sha256:{_HASH}", 17)
    ]


def test_manifest_of_a_wrong_shape_is_read_and_reported() -> None:
    """Old names, bare hashes and missing fields are problems with lines, and nothing of them is lost."""
    reading, source = _read_manifest(
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
    reading, source = _read_manifest(value)
    assert reading.package is not None
    assert [asset.path for asset in reading.package.assets] == ["a.py"]
    assert sorted(problem.message for problem in source.problems()) == [
        "a.py has no hash",
        "assets[0] has no path",
        "assets[2] should be an object, but is a number",
    ]


def test_manifest_dependencies_of_a_wrong_type_are_reported() -> None:
    """An object instead of a list keeps its names; a number isn't a package."""
    kept, source = _read_manifest({**_good(), "dependencies": {"PKG-OIL-001": "1.0"}})
    assert (kept.package and kept.package.dependencies) == ("PKG-OIL-001",)
    assert [problem.message for problem in source.problems()] == ["dependencies should be a list, but is an object"]
    _, wrong = _read_manifest({**_good(), "dependencies": [7]})
    assert [problem.message for problem in wrong.problems()] == [
        "dependencies[0] should be the id of a package, but is a number"
    ]
