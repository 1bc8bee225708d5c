"""Ids have one canonical form."""

from __future__ import annotations

import pytest

from handoff_tui.handoffs.formats.builder.names import find_ids, find_packages, is_same_framework, parse_id, strip_id


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


def test_packages_in_prose_are_found_once() -> None:
    """Package ids are found with their number, each once."""
    assert find_packages("`PKG-LAMP-V2-001.tar.gz`, PKG-OIL-002, PKG-LAMP-V2-001") == ["PKG-LAMP-V2-001", "PKG-OIL-002"]


def test_frameworks_are_the_same_by_number() -> None:
    """A framework may be named with or without its words."""
    assert is_same_framework("FMWK-001", "FMWK-001_Lamp")
    assert not is_same_framework("FMWK-002", "FMWK-001_Lamp")


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
