"""Names and places of builder documents."""

from __future__ import annotations

import pytest

from handoff_tui.checks.rule import NotApplicableError, Rule
from handoff_tui.checks.rules.builder.document_shape import (
    NAMES_FIT_THE_STANDARD,
    RESULTS_SECTIONS_PRESENT,
    SPEC_SECTIONS_IN_ORDER,
)
from tests.support.builder_story import (
    build_changed_results,
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
    assert judge(NAMES_FIT_THE_STANDARD, world) == []


def test_names_of_the_flat_layout_are_found() -> None:
    """The finding says where the file belongs, and how to move it there."""
    world = MemoryWorld(files={"handoffs/BUILDER_HANDOFF_7_lamp.md": build_spec("H-7")})
    [found] = judge(NAMES_FIT_THE_STANDARD, world)
    assert found.place is not None
    assert (found.place.path, found.expected) == ("handoffs/BUILDER_HANDOFF_7_lamp.md", spec_path("H-7"))
    assert found.command == (
        "mkdir -p handoffs/H-7 && git mv handoffs/BUILDER_HANDOFF_7_lamp.md handoffs/H-7/H-7_BUILDER_HANDOFF.md"
    )


def test_names_outside_a_handoff_folder_are_found() -> None:
    """The right name in the wrong place does not fit."""
    world = MemoryWorld(files={"notes/H-7/H-7_BUILDER_HANDOFF.md": build_spec("H-7")})
    assert [found.expected for found in judge(NAMES_FIT_THE_STANDARD, world)] == [spec_path("H-7")]


def test_names_with_another_id_are_found() -> None:
    """A number with a part fits no pattern, and the title must name the same handoff."""
    path = "handoffs/RESULTS_HANDOFF_29_1A.md"
    parts = MemoryWorld(files={path: build_results("HANDOFF-29.1A")})
    assert find_subjects(NAMES_FIT_THE_STANDARD, parts) == ["H-29.1A id", "place"]
    title = MemoryWorld(files={spec_path("H-7"): build_spec("H-8")})
    [found] = judge(NAMES_FIT_THE_STANDARD, title)
    assert (found.expected, found.actual, found.place and found.place.line) == ("H-7", "H-8", 1)


def _subjects(text: str) -> list[str]:
    return find_subjects(SPEC_SECTIONS_IN_ORDER, build_world({spec_path("H-5"): text}))


def test_spec_with_all_sections_passes() -> None:
    """Ten sections in order, ten constraints."""
    assert judge(SPEC_SECTIONS_IN_ORDER, build_world()) == []


def test_spec_without_a_section_is_found() -> None:
    """A word in the text is no section."""
    text = build_spec("H-5").replace("## 6. Test Plan\n", "The Test Plan is clear.\n")
    assert _subjects(text) == ["section Test Plan"]


def test_spec_with_an_empty_section_is_found() -> None:
    """A heading with nothing under it says nothing."""
    text = build_spec("H-5").replace("## 6. Test Plan\n\nWords.\n", "## 6. Test Plan\n\n")
    assert _subjects(text) == ["empty 6. Test Plan"]


def test_spec_out_of_order_is_found() -> None:
    """The finding names the line of the section that comes too late."""
    text = build_spec("H-5").replace("## 1. Mission\n\nA lamp in PKG-LAMP-001.\n\n", "")
    world = build_world({spec_path("H-5"): text + "\n## 1. Mission\n\nA lamp in PKG-LAMP-001.\n"})
    [found] = judge(SPEC_SECTIONS_IN_ORDER, world)
    assert (found.subject, found.expected) == ("order Mission", "section 1 of 10")
    assert found.place is not None
    assert found.place.line is not None


def test_spec_with_too_few_constraints_is_found() -> None:
    """The constraints that every spec has are counted."""
    [found] = judge(
        SPEC_SECTIONS_IN_ORDER,
        build_world({spec_path("H-5"): build_spec("H-5").replace("10. Constraint number 10.\n", "")}),
    )
    assert (found.subject, found.actual) == ("constraints", "9")


def test_spec_that_is_missing_or_empty_is_found() -> None:
    """Results without a spec, and a spec without a word."""
    assert find_subjects(SPEC_SECTIONS_IN_ORDER, build_world({spec_path("H-5"): None})) == ["H-5 spec"]
    assert _subjects("") == [f"unreadable {spec_path('H-5')}"]


def test_results_with_all_sections_pass() -> None:
    """Other words after the name of a section do not matter."""
    assert judge(RESULTS_SECTIONS_PRESENT, build_world()) == []


def test_results_without_a_section_are_found() -> None:
    """Mentioning the clean room elsewhere is no section."""
    world = build_changed_results("## Clean-Room Verification", "The clean-room verification went well.")
    assert find_subjects(RESULTS_SECTIONS_PRESENT, world) == ["section Clean-Room Verification"]


def test_results_with_an_empty_section_are_found() -> None:
    """A heading alone records nothing."""
    [found] = judge(
        RESULTS_SECTIONS_PRESENT, build_changed_results("## Files Modified\n- NONE\n", "## Files Modified\n")
    )
    assert (found.subject, found.place and found.place.path) == ("empty Files Modified", results_path("H-5"))


def test_results_of_the_newest_attempt_count() -> None:
    """An older attempt may be as it was."""
    old = f"{results_path('H-5')[:-3]}_ATTEMPT_1.md"
    assert judge(RESULTS_SECTIONS_PRESENT, build_world({old: "# Results: H-5\n\n## Status: FAIL\n"})) == []


def test_results_that_are_due_and_missing_are_found() -> None:
    """Due when just this handoff is to pass, or when a registry calls it done."""
    world = build_world({results_path("H-5"): None})
    assert find_subjects(RESULTS_SECTIONS_PRESENT, world, scope="H-5") == ["H-5 results"]
    registry = "# Registry\n\n| ID | Status |\n|---|---|\n| H-5 | VALIDATED |\n"
    said = build_world({results_path("H-5"): None, "handoffs/REGISTRY.md": registry})
    assert find_subjects(RESULTS_SECTIONS_PRESENT, said) == ["H-5 results"]


def test_results_that_are_empty_are_found() -> None:
    """An empty file cannot be judged, which is said once."""
    found = judge(RESULTS_SECTIONS_PRESENT, build_world({results_path("H-5"): ""}))
    assert [one.subject for one in found] == [f"unreadable {results_path('H-5')}"]


@pytest.mark.parametrize(
    ("rule", "world", "reason"),
    [
        (
            NAMES_FIT_THE_STANDARD,
            build_world({spec_path("H-5"): None, results_path("H-5"): None}),
            "no builder handoff",
        ),
        (SPEC_SECTIONS_IN_ORDER, MemoryWorld(files={"README.md": "# A"}), "no builder handoff"),
        (
            RESULTS_SECTIONS_PRESENT,
            build_world({results_path("H-5"): None, prompt_path("H-5"): build_prompt("H-5")}),
            "none are due",
        ),
    ],
)
def test_rule_is_skipped_where_it_has_nothing_to_judge(rule: Rule, world: MemoryWorld, reason: str) -> None:
    """It neither passes nor fails."""
    with pytest.raises(NotApplicableError, match=reason):
        judge(rule, world)
