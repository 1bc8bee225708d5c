"""Ids have one canonical form."""

from __future__ import annotations

import pytest

from handoff_tui.handoffs.formats.builder.grouping import HandoffFiles, group_files
from handoff_tui.handoffs.formats.builder.names import (
    find_ids,
    parse_id,
    parse_path,
    strip_id,
)
from handoff_tui.handoffs.handoff import DocumentRole
from handoff_tui.handoffs.reading.format import Source


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("HANDOFF_7", "H-7"),
        ("FOLLOWUP_7b", "H-7B"),
        ("Follow-Up #3D", "H-3D"),
        ("H-07", "H-7"),
        ("HANDOFF_41_2C", "H-41.2C"),
        ("HANDOFF-41.2C", "H-41.2C"),
        ("CLEANUP_2", "CLEANUP-2"),
        ("HOUSEKEEPING_28", "HOUSEKEEPING-28"),
        ("BUGFIX_wick_leak", "BUGFIX-WICK-LEAK"),
        ("BUGFIX-3", "BUGFIX-3"),
        ("12", None),
        ("lamp", None),
    ],
)
def test_id_is_canonical(text: str, expected: str | None) -> None:
    """Whatever the spelling, one handoff has one id."""
    assert parse_id(text) == expected


def test_id_of_a_bare_number_is_taken_only_on_request() -> None:
    """A number is an id only where the file name already says that it is one."""
    assert parse_id("41_2C", bare=True) == "H-41.2C"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("HANDOFF-12 (completed), see BUILDER_FOLLOWUP_9A_lamp.md", ["H-12", "H-9A"]),
        ("H-3 through H-6", ["H-3", "H-4", "H-5", "H-6"]),
        ("H-6 to H-3", ["H-6", "H-3"]),
        ("CLEANUP-1 and FMWK-001_Lamp and BUGFIX_wick-leak", ["CLEANUP-1", "FMWK-001_Lamp", "BUGFIX-WICK-LEAK"]),
        ("PATH-12 and 2H-3 and the handoff of today", []),
    ],
)
def test_ids_in_prose_are_found_in_order(text: str, expected: list[str]) -> None:
    """Lines that name handoffs give canonical ids, and nothing else does."""
    assert find_ids(text) == expected


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("Results: H-7 — Wick trimming", "Wick trimming"),
        ("BUILDER_FOLLOWUP_7B: PKG-LAMP-001 — New wick", "PKG-LAMP-001 — New wick"),
        ("BUILDER HANDOFF 41.2C", "BUILDER HANDOFF 41.2C"),
        ("Wick trimming", "Wick trimming"),
    ],
)
def test_title_is_stripped_of_its_id(title: str, expected: str) -> None:
    """What remains says what the work is; a title that is only an id stays."""
    assert strip_id(title) == expected


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


def _group(files: dict[str, str]) -> dict[str, HandoffFiles]:
    groups, _ = group_files(Source.of_text(path, text) for path, text in files.items())
    return {group.id: group for group in groups}


def _paths(group: HandoffFiles, *roles: DocumentRole) -> list[str]:
    return [source.path for source in group.sources(*(roles or tuple(DocumentRole)))]


def test_other_files_go_to_the_nearest_spec() -> None:
    """By the words in the name, then by folder, else to the first."""
    groups = _group(
        {
            "old/BUILDER_HANDOFF_7_lamp.md": "# BUILDER HANDOFF 7: Lamp\n",
            "new/BUILDER_HANDOFF_7_oil.md": "# BUILDER HANDOFF 7: Oil\n",
            "new/RESULTS_HANDOFF_7.md": "# Results: HANDOFF-7 oil\n",
            "old/RESULTS_HANDOFF_7.md": "# Results: HANDOFF-7 lamp\n",
            "else/RESULTS_HANDOFF_7.md": "# Results: HANDOFF-7\n",
        }
    )
    first, second = groups["H-7"], groups["H-7-lamp"]
    assert _paths(first) == ["new/BUILDER_HANDOFF_7_oil.md", "else/RESULTS_HANDOFF_7.md", "new/RESULTS_HANDOFF_7.md"]
    assert _paths(second) == ["old/BUILDER_HANDOFF_7_lamp.md", "old/RESULTS_HANDOFF_7.md"]
