"""Paths of all three layouts say what a file is for."""

from __future__ import annotations

import pytest

from handoff_tui.handoffs.formats.builder.names import parse_path
from handoff_tui.handoffs.handoff import DocumentRole


@pytest.mark.parametrize(
    ("path", "role", "handoff", "original"),
    [
        ("BUILDER_HANDOFF_7_lamp.md", DocumentRole.SPEC, "H-7", "HANDOFF_7"),
        ("x/BUILDER_FOLLOWUP_7B_new_wick.md", DocumentRole.SPEC, "H-7B", "FOLLOWUP_7B"),
        ("BUILDER_HANDOFF_41_2C_oil.md", DocumentRole.SPEC, "H-41.2C", "HANDOFF_41_2C"),
        ("BUILDER_BUGFIX_wick_leak.md", DocumentRole.SPEC, "BUGFIX-WICK-LEAK", "BUGFIX_wick_leak"),
        ("HOUSEKEEPING_28_sweep.md", DocumentRole.SPEC, "HOUSEKEEPING-28", "HOUSEKEEPING_28"),
        ("RESULTS_HANDOFF_7.md", DocumentRole.RESULTS, "H-7", "HANDOFF_7"),
        ("RESULTS_FOLLOWUP_7B.md", DocumentRole.RESULTS, "H-7B", "FOLLOWUP_7B"),
        ("RESULTS_CLEANUP_2.md", DocumentRole.RESULTS, "CLEANUP-2", "CLEANUP_2"),
        ("RESULTS_41_2C.md", DocumentRole.RESULTS, "H-41.2C", "41_2C"),
        ("RESULTS_18.md", DocumentRole.RESULTS, "H-18", "18"),
        ("AGENT_PROMPT_HANDOFF_7.md", DocumentRole.PROMPT, "H-7", "HANDOFF_7"),
        ("a/b/H-7/H-7_BUILDER_HANDOFF.md", DocumentRole.SPEC, "H-7", "H-7"),
        ("H-7/H-7_RESULTS.md", DocumentRole.RESULTS, "H-7", "H-7"),
        ("H-7/H-7_AGENT_PROMPT.md", DocumentRole.PROMPT, "H-7", "H-7"),
        ("CLEANUP-5/CLEANUP-5_RESULTS.md", DocumentRole.RESULTS, "CLEANUP-5", "CLEANUP-5"),
        ("CLEANUP-5/CLEANUP-5_BUILDER_HANDOFF.md", DocumentRole.SPEC, "CLEANUP-5", "CLEANUP-5"),
        ("H-7/H-7_13Q_ANSWERS.md", DocumentRole.ANSWERS, "H-7", "H-7"),
        ("H-7/H-7_REVIEW_REPORT.md", DocumentRole.REVIEW, "H-7", "H-7"),
        ("FMWK-001_Lamp/RESULTS.md", DocumentRole.RESULTS, "FMWK-001_Lamp", "FMWK-001_Lamp"),
        ("FMWK-001_Lamp/SPEC.md", DocumentRole.SPEC, "FMWK-001_Lamp", "FMWK-001_Lamp"),
        ("FMWK-001_Lamp/EVALUATION_REPORT.md", DocumentRole.EVALUATION, "FMWK-001_Lamp", "FMWK-001_Lamp"),
    ],
)
def test_path_gives_role_and_id(path: str, role: DocumentRole, handoff: str, original: str) -> None:
    """Flat, nested and framework layouts lead to the same canonical ids."""
    named = parse_path(path)
    assert named is not None
    assert (named.role, named.id, named.original) == (role, handoff, original)


@pytest.mark.parametrize(
    ("path", "handoff", "attempt"),
    [
        ("H-7/H-7_RESULTS_2.md", "H-7", 2),
        ("H-7/H-7_RESULTS_ATTEMPT_1.md", "H-7", 1),
        ("FMWK-001_Lamp/RESULTS_3.md", "FMWK-001_Lamp", 3),
        ("H-7/attempt_2/RESULTS.md", "H-7", 2),
        ("RESULTS_HANDOFF_7_ATTEMPT_4.md", "H-7", 4),
        ("RESULTS_HANDOFF_7_2.md", "H-7", 2),
        ("RESULTS_HANDOFF_7.md", "H-7", None),
    ],
)
def test_path_gives_the_attempt(path: str, handoff: str, attempt: int | None) -> None:
    """The number of an attempt is no part of the id."""
    named = parse_path(path)
    assert named is not None
    assert (named.id, named.attempt) == (handoff, attempt)


def test_path_with_two_numbers_is_settled_by_the_title() -> None:
    """`41_2` is 41.2 only where the document says so."""
    with_title = parse_path("RESULTS_HANDOFF_41_2.md", "Results: HANDOFF-41.2")
    assert with_title is not None
    assert (with_title.id, with_title.attempt) == ("H-41.2", None)


@pytest.mark.parametrize("path", ["BUILDER_HANDOFF_STANDARD.md", "docs/REGISTRY.md", "HANDOFF_REGISTRY.md"])
def test_path_of_a_registry_is_worth_a_look(path: str) -> None:
    """Registries that people keep are looked into."""
    named = parse_path(path)
    assert named is not None
    assert named.role is DocumentRole.LIST


@pytest.mark.parametrize("path", ["README.md", "HANDOFF_1088_T021.md", "HANDOFF.md", "RESULTS_HANDOFF_7.txt", "a.json"])
def test_path_of_another_is_left_alone(path: str) -> None:
    """Names of other formats mean nothing here."""
    assert parse_path(path) is None


def test_path_tells_the_handoffs_own_folder() -> None:
    """Only the layouts with a folder per handoff have one."""
    nested, flat = parse_path("a/H-7/H-7_RESULTS.md"), parse_path("a/RESULTS_HANDOFF_7.md")
    assert nested is not None
    assert nested.own_folder == "a/H-7"
    assert flat is not None
    assert flat.own_folder is None
