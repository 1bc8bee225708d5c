"""Documents of a builder: names, sections, questions and waves."""

from __future__ import annotations

import re

import pytest

from handoff_tui.checks.rule import NotApplicableError, Rule, UndecidableError
from handoff_tui.checks.rules.builder.document_shape import (
    names_fit_the_standard,
    results_sections_present,
    spec_sections_in_order,
)
from handoff_tui.checks.rules.builder.package_contents import wave_is_integrated
from handoff_tui.checks.rules.builder.question_gate import question_gate_passed
from handoff_tui.core.classes import replace
from tests.support.builder_story import (
    answers_path,
    build_answers,
    build_changed_results,
    build_contract,
    build_prompt,
    build_results,
    build_spec,
    build_world,
    prompt_path,
    results_path,
    spec_path,
)
from tests.support.world import MemoryWorld, find_subjects, judge


def test_names_of_the_standard_pass() -> None:
    """A folder named for the id, with files named for it, numbered attempts included."""
    attempt = f"{results_path('H-5')[:-3]}_ATTEMPT_1.md"
    nested = f"deep/_reboot/_staging/{spec_path('CLEANUP-3')}"
    world = build_world(
        {
            attempt: build_results("H-5").replace("PASS", "FAIL"),
            nested: build_spec("CLEANUP-3"),
            spec_path("H-6B"): build_spec("H-6B"),
        }
    )
    assert judge(names_fit_the_standard, world) == []


def test_names_of_the_flat_layout_are_found() -> None:
    """The finding says where the file belongs, and how to move it there."""
    world = MemoryWorld(files={"handoffs/BUILDER_HANDOFF_7_lamp.md": build_spec("H-7")})
    [found] = judge(names_fit_the_standard, world)
    assert found.place is not None
    assert (found.place.path, found.expected) == ("handoffs/BUILDER_HANDOFF_7_lamp.md", spec_path("H-7"))
    assert found.command == (
        "mkdir -p handoffs/H-7 && git mv handoffs/BUILDER_HANDOFF_7_lamp.md handoffs/H-7/H-7_BUILDER_HANDOFF.md"
    )


def test_names_with_another_id_are_found() -> None:
    """A number with a part fits no pattern, and the title must name the same handoff."""
    path = "handoffs/RESULTS_HANDOFF_29_1A.md"
    parts = MemoryWorld(files={path: build_results("HANDOFF-29.1A")})
    assert find_subjects(names_fit_the_standard, parts) == ["H-29.1A id", "place"]
    title = MemoryWorld(files={spec_path("H-7"): build_spec("H-8")})
    [found] = judge(names_fit_the_standard, title)
    assert (found.expected, found.actual, found.place and found.place.line) == ("H-7", "H-8", 1)


def _spec_subjects(text: str) -> list[str]:
    return find_subjects(spec_sections_in_order, build_world({spec_path("H-5"): text}))


def test_spec_with_an_empty_section_is_found() -> None:
    """A heading with nothing under it says nothing."""
    text = build_spec("H-5").replace("## 6. Test Plan\n\nWords.\n", "## 6. Test Plan\n\n")
    assert _spec_subjects(text) == ["empty 6. Test Plan"]


def test_spec_out_of_order_is_found() -> None:
    """The finding names the line of the section that comes too late."""
    text = build_spec("H-5").replace("## 1. Mission\n\nA lamp in PKG-LAMP-001.\n\n", "")
    world = build_world({spec_path("H-5"): text + "\n## 1. Mission\n\nA lamp in PKG-LAMP-001.\n"})
    [found] = judge(spec_sections_in_order, world)
    assert (found.subject, found.expected) == ("order Mission", "section 1 of 10")
    assert found.place is not None
    assert found.place.line is not None


def test_spec_with_too_few_constraints_is_found() -> None:
    """The constraints that every spec has are counted."""
    [found] = judge(
        spec_sections_in_order,
        build_world({spec_path("H-5"): build_spec("H-5").replace("10. Constraint number 10.\n", "")}),
    )
    assert (found.subject, found.actual) == ("constraints", "9")


def test_spec_that_is_missing_or_empty_is_found() -> None:
    """Results without a spec, and a spec without a word."""
    assert find_subjects(spec_sections_in_order, build_world({spec_path("H-5"): None})) == ["H-5 spec"]
    assert _spec_subjects("") == [f"unreadable {spec_path('H-5')}"]


def test_results_without_a_section_are_found() -> None:
    """Mentioning the clean room elsewhere isn't a section."""
    world = build_changed_results("## Clean-Room Verification", "The clean-room verification went well.")
    assert find_subjects(results_sections_present, world) == ["section Clean-Room Verification"]


def test_results_with_an_empty_section_are_found() -> None:
    """A heading alone records nothing."""
    [found] = judge(
        results_sections_present, build_changed_results("## Files Modified\n- NONE\n", "## Files Modified\n")
    )
    assert (found.subject, found.place and found.place.path) == ("empty Files Modified", results_path("H-5"))


def test_results_that_are_due_and_missing_are_found() -> None:
    """Due when just this handoff is to pass, or when a registry calls it done."""
    world = build_world({results_path("H-5"): None})
    assert find_subjects(results_sections_present, world, scope="H-5") == ["H-5 results"]
    registry = "# Registry\n\n| ID | Status |\n|---|---|\n| H-5 | VALIDATED |\n"
    said = build_world({results_path("H-5"): None, "handoffs/REGISTRY.md": registry})
    assert find_subjects(results_sections_present, said) == ["H-5 results"]


_CONTRACT = "handoffs/BUILDER_PROMPT_CONTRACT.md"


_SIGNED = ("ines@example.org",)


def _world(changes: dict[str, str | bytes | None] | None = None) -> MemoryWorld:
    gate: dict[str, str | bytes | None] = {
        prompt_path("H-5"): build_prompt("H-5"),
        answers_path("H-5"): build_answers("H-5"),
        _CONTRACT: build_contract(),
    }
    return build_world({**gate, **(changes or {})})


def _gate_subjects(changes: dict[str, str | bytes | None]) -> list[str]:
    return find_subjects(question_gate_passed, _world(changes))


def test_gate_that_was_passed() -> None:
    """Thirteen answers, one contract, a person's greenlight that the log bears out."""
    assert judge(question_gate_passed, replace(_world(), signed=_SIGNED)) == []


@pytest.mark.parametrize(("signed", "said"), [(None, "there is no signed log here"), ((), "has no such decision")])
def test_greenlight_that_nobody_signed_does_not_pass(signed: tuple[str, ...] | None, said: str) -> None:
    """B9: it is shown as a claim."""
    with pytest.raises(NotApplicableError, match=f"H-5 says it was approved by .*; .*{said}"):
        judge(question_gate_passed, replace(_world(), signed=signed))


def test_questions_without_an_answer_are_found() -> None:
    """Each by its number; no answers at all are found once."""
    assert _gate_subjects({answers_path("H-5"): build_answers("H-5", answers=11)}) == [
        "H-5 question 12",
        "H-5 question 13",
    ]
    assert _gate_subjects({answers_path("H-5"): None}) == ["H-5 answers", "H-5 greenlight"]


def test_gate_with_too_few_questions_is_found() -> None:
    """Ten are an older contract's."""
    ten: dict[str, str | bytes | None] = {
        prompt_path("H-5"): build_prompt("H-5", questions=10),
        answers_path("H-5"): build_answers("H-5", answers=10),
    }
    assert _gate_subjects(ten) == ["H-5 questions"]


def test_contract_versions_must_be_equal() -> None:
    """In the prompt and in the answers; a prompt without a version, and a contract that is not here."""
    assert _gate_subjects({prompt_path("H-5"): build_prompt("H-5", version="2.0")}) == ["H-5 contract of prompt"]
    assert _gate_subjects({answers_path("H-5"): build_answers("H-5", version="2.0")}) == ["H-5 contract of answers"]
    silent = build_prompt("H-5").replace("**Contract version**: 2.1\n", "")
    assert _gate_subjects({prompt_path("H-5"): silent}) == ["H-5 contract of prompt"]
    assert _gate_subjects({_CONTRACT: None}) == ["H-5 contract of prompt", "H-5 contract of answers"]


def test_contract_of_work_that_is_done_may_be_older() -> None:
    """It was in force when the prompt was committed; a prompt still to be answered follows the present one."""
    then = "b" * 40
    world = _world({_CONTRACT: build_contract("3.0")})
    world.documents = {prompt_path("H-5"): then, answers_path("H-5"): then}
    world.old_files = {(then, _CONTRACT): build_contract("2.1").encode()}
    world.signed = _SIGNED
    assert judge(question_gate_passed, world) == []
    del world.files[results_path("H-5")]
    fresh = MemoryWorld(files=world.files, documents=world.documents, old_files=world.old_files)
    assert find_subjects(question_gate_passed, fresh) == ["H-5 contract of prompt", "H-5 contract of answers"]


def test_contract_of_a_time_that_a_shallow_clone_lacks_is_not_judged() -> None:
    """An older version may have been in force then."""
    world = _world({_CONTRACT: build_contract("3.0")})
    world.documents = {prompt_path("H-5"): "b" * 40, answers_path("H-5"): "b" * 40}
    world.cut_off = frozenset({"b" * 40})
    with pytest.raises(UndecidableError, match="shallow"):
        judge(question_gate_passed, world)


def test_expected_answers_must_not_leak() -> None:
    """In the spec and in the prompt, also before any work."""
    leak = "\n## Expected Answers (for the reviewer)\n\n1. Yes.\n"
    assert _gate_subjects({spec_path("H-5"): build_spec("H-5") + leak}) == ["H-5 expected answers"]
    assert _gate_subjects({prompt_path("H-5"): build_prompt("H-5") + leak, results_path("H-5"): None}) == [
        "H-5 expected answers"
    ]


@pytest.mark.parametrize(
    ("gate", "reason"),
    [
        ("", "no greenlight was given"),
        ("## Greenlight\n\nPENDING\n", "not given|no greenlight"),
        ("Greenlight checklist\n", "no person|not given|no greenlight"),
        ("**Greenlight**: GRANTED\n", "names no person"),
        ("**Greenlight**: GRANTED\n**By**: the reviewer\n", "names no person"),
        ("**Greenlight**: GRANTED\n**By**: build-bot\n", "not given by a person"),
        ("**Greenlight**: GRANTED\n**By**: wren\n", "not given by a person"),
        ("**Greenlight**: granted by the orchestrator\n", "not given by a person"),
        ("**Greenlight**: GRANTED\n\n## Later\n**By**: Ines Moor\n", "names no person"),
    ],
)
def test_greenlight_must_come_from_a_person(gate: str, reason: str) -> None:
    """A heading, a word, an agent and a name elsewhere aren't a greenlight."""
    answers = build_answers("H-5", by="") + gate
    [found] = judge(question_gate_passed, _world({answers_path("H-5"): answers}))
    assert found.subject == "H-5 greenlight"
    assert re.search(reason, found.message)


@pytest.mark.parametrize(
    "gate", ["Greenlit by Ines Moor on 2026-03-03\n", "**Greenlight**: GRANTED, Ines Moor\n", "Greenlight: Ines Moor\n"]
)
def test_greenlight_may_name_the_person_in_its_line(gate: str) -> None:
    """The name stands beside the word."""
    answers = build_answers("H-5", by="") + gate
    assert judge(question_gate_passed, replace(_world({answers_path("H-5"): answers}), signed=_SIGNED)) == []


def test_gate_that_waits_is_no_finding_until_it_is_to_pass() -> None:
    """A prompt was sent out: the rule says that it waits; for the handoff under review the gate is shut."""
    world = _world({answers_path("H-5"): None, results_path("H-5"): None})
    with pytest.raises(NotApplicableError, match="still waiting: H-5"):
        judge(question_gate_passed, world)
    assert find_subjects(question_gate_passed, world, scope="H-5") == ["H-5 answers", "H-5 greenlight"]


def _waves(waves: dict[str, int], done: str, integration: str | None = None) -> MemoryWorld:
    """Handoffs by their wave, those in `done` with results, and perhaps an integration handoff."""
    files: dict[str, str | bytes] = {}
    for name, number in waves.items():
        files[spec_path(name)] = f"{build_spec(name)}\nPart of wave {number}; the integration handoff comes later.\n"
    if integration is not None:
        title = build_spec(integration).replace("— Lamp", "— Integration of the lamps")
        files[spec_path(integration)] = f"{title}\nThis is the integration handoff after wave 2.\n"
    files.update({results_path(name): build_results(name) for name in done.split()})
    return MemoryWorld(files=files)


def test_waves_with_their_integration_pass() -> None:
    """Every member passed, and the spec of the integration is there."""
    assert judge(wave_is_integrated, _waves({"H-1": 1, "H-2": 1, "H-3": 2}, "H-1 H-2 H-3", "H-4")) == []


def test_waves_without_integration_are_found() -> None:
    """Specs that mention an integration to come are none."""
    [found] = judge(wave_is_integrated, _waves({"H-1": 1, "H-2": 1}, "H-1 H-2"))
    assert found.subject == "integration handoff"


def test_wave_that_was_overtaken_is_found() -> None:
    """The next wave has results, and this one is not complete."""
    [found] = judge(wave_is_integrated, _waves({"H-1": 1, "H-2": 1, "H-3": 2}, "H-1 H-3"))
    assert (found.subject, found.actual) == ("H-2 wave", "no results")


def test_wave_with_failed_results_is_not_complete() -> None:
    """Results that say FAIL complete nothing."""
    world = _waves({"H-1": 1, "H-2": 2}, "H-1 H-2")
    world.files[results_path("H-1")] = build_results("H-1").replace("## Status: PASS", "## Status: FAIL")
    assert find_subjects(wave_is_integrated, world) == ["H-1 wave"]


def test_integration_before_its_waves_is_found() -> None:
    """It cannot integrate what has not passed."""
    world = _waves({"H-1": 1, "H-2": 1}, "H-1 H-4", "H-4")
    assert find_subjects(wave_is_integrated, world) == ["H-4 integration"]


def test_wave_of_one_package_needs_no_integration() -> None:
    """The least number comes from the configuration."""
    world = _waves({"H-1": 1}, "H-1")
    assert judge(wave_is_integrated, world) == []
    world.overrides["builder.integration_packages_minimum"] = 1
    assert len(judge(wave_is_integrated, world)) == 1


@pytest.mark.parametrize(
    ("rule", "world", "reason"),
    [
        (
            names_fit_the_standard,
            build_world({spec_path("H-5"): None, results_path("H-5"): None}),
            "no builder handoff",
        ),
        (
            results_sections_present,
            build_world({results_path("H-5"): None, prompt_path("H-5"): build_prompt("H-5")}),
            "none are due",
        ),
        (question_gate_passed, build_world(), "."),
        (wave_is_integrated, _waves({"H-1": 1, "H-2": 1}, "H-1"), "still being built: H-2"),
        (wave_is_integrated, build_world(), "belongs to a wave"),
    ],
)
def test_rule_is_skipped_where_it_has_nothing_to_judge(rule: Rule, world: MemoryWorld, reason: str) -> None:
    """It neither passes nor fails."""
    with pytest.raises(NotApplicableError, match=reason):
        judge(rule, world)
