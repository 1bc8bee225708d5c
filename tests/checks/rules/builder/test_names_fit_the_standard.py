"""Names and places of builder documents."""

from __future__ import annotations

import pytest

from handoff_tui.checks.contract import NotApplicableError
from handoff_tui.checks.rules.builder.document_shape import NAMES_FIT_THE_STANDARD
from tests.support.builder_story import build_results, build_spec, build_world, results_path, spec_path
from tests.support.world import MemoryWorld, judge


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
    assert [found.subject for found in judge(NAMES_FIT_THE_STANDARD, parts)] == ["H-29.1A id", "place"]
    title = MemoryWorld(files={spec_path("H-7"): build_spec("H-8")})
    [found] = judge(NAMES_FIT_THE_STANDARD, title)
    assert (found.expected, found.actual, found.place and found.place.line) == ("H-7", "H-8", 1)


def test_names_need_a_builder_handoff() -> None:
    """Packages alone have no names to judge."""
    with pytest.raises(NotApplicableError):
        judge(NAMES_FIT_THE_STANDARD, build_world({spec_path("H-5"): None, results_path("H-5"): None}))
