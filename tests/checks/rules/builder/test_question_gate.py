"""Questions, contract, greenlight."""

from __future__ import annotations

import re

import pytest

from handoff_tui.checks.rule import NotApplicableError, UndecidableError
from handoff_tui.checks.rules.builder.question_gate import QUESTION_GATE_PASSED
from tests.support.builder_story import (
    answers_path,
    build_answers,
    build_contract,
    build_prompt,
    build_spec,
    build_world,
    prompt_path,
    results_path,
    spec_path,
)
from tests.support.world import MemoryWorld, find_subjects, judge

_CONTRACT = "handoffs/BUILDER_PROMPT_CONTRACT.md"


def _world(changes: dict[str, str | bytes | None] | None = None) -> MemoryWorld:
    gate: dict[str, str | bytes | None] = {
        prompt_path("H-5"): build_prompt("H-5"),
        answers_path("H-5"): build_answers("H-5"),
        _CONTRACT: build_contract(),
    }
    return build_world({**gate, **(changes or {})})


def _subjects(changes: dict[str, str | bytes | None]) -> list[str]:
    return find_subjects(QUESTION_GATE_PASSED, _world(changes))


def test_gate_that_was_passed() -> None:
    """Thirteen answers, one contract, a person's greenlight."""
    assert judge(QUESTION_GATE_PASSED, _world()) == []


def test_questions_without_an_answer_are_found() -> None:
    """Each by its number; no answers at all are found once."""
    assert _subjects({answers_path("H-5"): build_answers("H-5", answers=11)}) == [
        "H-5 question 12",
        "H-5 question 13",
    ]
    assert _subjects({answers_path("H-5"): None}) == ["H-5 answers", "H-5 greenlight"]


def test_gate_with_too_few_questions_is_found() -> None:
    """Ten are an older contract's."""
    ten: dict[str, str | bytes | None] = {
        prompt_path("H-5"): build_prompt("H-5", questions=10),
        answers_path("H-5"): build_answers("H-5", answers=10),
    }
    assert _subjects(ten) == ["H-5 questions"]


def test_contract_versions_must_be_equal() -> None:
    """In the prompt and in the answers; a prompt without a version, and a contract that is not here."""
    assert _subjects({prompt_path("H-5"): build_prompt("H-5", version="2.0")}) == ["H-5 contract of prompt"]
    assert _subjects({answers_path("H-5"): build_answers("H-5", version="2.0")}) == ["H-5 contract of answers"]
    silent = build_prompt("H-5").replace("**Contract version**: 2.1\n", "")
    assert _subjects({prompt_path("H-5"): silent}) == ["H-5 contract of prompt"]
    assert _subjects({_CONTRACT: None}) == ["H-5 contract of prompt", "H-5 contract of answers"]


def test_contract_of_work_that_is_done_may_be_older() -> None:
    """It was in force when the prompt was committed; a prompt still to be answered follows the present one."""
    then = "b" * 40
    world = _world({_CONTRACT: build_contract("3.0")})
    world.documents = {prompt_path("H-5"): then, answers_path("H-5"): then}
    world.old_files = {(then, _CONTRACT): build_contract("2.1").encode()}
    assert judge(QUESTION_GATE_PASSED, world) == []
    del world.files[results_path("H-5")]
    fresh = MemoryWorld(files=world.files, documents=world.documents, old_files=world.old_files)
    assert find_subjects(QUESTION_GATE_PASSED, fresh) == [
        "H-5 contract of prompt",
        "H-5 contract of answers",
    ]


def test_contract_of_a_time_that_a_shallow_clone_lacks_is_not_judged() -> None:
    """An older version may have been in force then."""
    world = _world({_CONTRACT: build_contract("3.0")})
    world.documents = {prompt_path("H-5"): "b" * 40, answers_path("H-5"): "b" * 40}
    world.cut_off = frozenset({"b" * 40})
    with pytest.raises(UndecidableError, match="shallow"):
        judge(QUESTION_GATE_PASSED, world)


def test_expected_answers_must_not_leak() -> None:
    """In the spec and in the prompt, also before any work."""
    leak = "\n## Expected Answers (for the reviewer)\n\n1. Yes.\n"
    assert _subjects({spec_path("H-5"): build_spec("H-5") + leak}) == ["H-5 expected answers"]
    assert _subjects({prompt_path("H-5"): build_prompt("H-5") + leak, results_path("H-5"): None}) == [
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
    """A heading, a word, an agent and a name elsewhere are no greenlight."""
    answers = build_answers("H-5", by="") + gate
    [found] = judge(QUESTION_GATE_PASSED, _world({answers_path("H-5"): answers}))
    assert found.subject == "H-5 greenlight"
    assert re.search(reason, found.message)


@pytest.mark.parametrize(
    "gate",
    ["Greenlit by Ines Moor on 2026-03-03\n", "**Greenlight**: GRANTED, Ines Moor\n", "Greenlight: Ines Moor\n"],
)
def test_greenlight_may_name_the_person_in_its_line(gate: str) -> None:
    """The name stands beside the word."""
    answers = build_answers("H-5", by="") + gate
    assert judge(QUESTION_GATE_PASSED, _world({answers_path("H-5"): answers})) == []


def test_greenlight_may_be_switched_off() -> None:
    """Where the configuration needs none."""
    world = _world({answers_path("H-5"): build_answers("H-5", by="")})
    world.overrides["builder.questions.greenlight_needed"] = False
    assert judge(QUESTION_GATE_PASSED, world) == []


def test_gate_that_waits_is_no_finding_until_it_is_to_pass() -> None:
    """A prompt was sent out: the rule says that it waits; for the handoff under review the gate is shut."""
    world = _world({answers_path("H-5"): None, results_path("H-5"): None})
    with pytest.raises(NotApplicableError, match="still waiting: H-5"):
        judge(QUESTION_GATE_PASSED, world)
    found = judge(QUESTION_GATE_PASSED, world, scope="H-5")
    assert [one.subject for one in found] == ["H-5 answers", "H-5 greenlight"]


def test_gate_with_empty_answers_is_found() -> None:
    """A file without a word answers nothing."""
    empty = "handoffs/H-5/H-5_13Q_ANSWERS.md"
    subjects = _subjects({answers_path("H-5"): None, empty: ""})
    assert subjects[0] == f"unreadable {empty}"
    assert "H-5 greenlight" in subjects


def test_gate_rule_needs_a_gate() -> None:
    """A handoff without questions has none."""
    with pytest.raises(NotApplicableError):
        judge(QUESTION_GATE_PASSED, build_world())
