"""Every setting is read by something: one that changes nothing would be a promise that is not kept."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from handoff_tui.config.schema import find_models

SOURCE = Path(__file__).resolve().parents[2] / "src" / "handoff_tui"
TEXT = "\n".join(path.read_text(encoding="utf-8") for path in SOURCE.rglob("*.py") if "config" not in path.parts)

WAITING = {
    "Builder": {"staging_folders"},
    "CheckRun": {"quiet_milliseconds"},
    "Hub": {"claim_states", "proof_folders", "proof_kinds", "run_states", "todo_file"},
    "Mosaic": {"emergency_file"},
    "Procedures": {"handoff_types"},
    "Public": {
        *("checkpoint_files", "continue_files", "foreign_folders", "note_names", "note_patterns", "planning_files"),
    },
    "QuestionGate": {"adversarial_genesis", "adversarial_infrastructure"},
    "Tdd": {"test_list"},
}
"""Promised settings that nothing reads yet: mostly names of files that the formats know by heart."""


def is_read(name: str) -> bool:
    """Whether the name is used anywhere as a member, or in a dotted key."""
    return re.search(rf"[.\"']{name}\b", TEXT) is not None


@pytest.mark.parametrize("model", sorted(find_models()))
def test_every_setting_is_read_or_known_to_be_unread(model: str) -> None:
    """None is forgotten in silence."""
    unread = {name for name in find_models()[model].model_fields if not is_read(name)}
    assert unread <= WAITING.get(model, set())


@pytest.mark.parametrize("model", sorted(WAITING))
def test_waiting_settings_exist(model: str) -> None:
    """The table names no setting that is gone."""
    assert set(find_models()[model].model_fields) >= WAITING[model]
