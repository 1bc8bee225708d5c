"""The conventions that most public repositories use."""

from __future__ import annotations

from handoff_tui.config.settings.quantities import Name
from handoff_tui.core.model import Model


class Public(Model):
    """The conventions that most public repositories use."""

    planning_files: tuple[Name, ...] = (".planning/HANDOFF.json",)
    """Planning state as JSON."""
    continue_files: tuple[Name, ...] = (".continue-here.md",)
    """The companion of the planning state, looked for in any folder below `.planning/`."""
    checkpoint_files: tuple[Name, ...] = (".claude/handoff.json",)
    """State that may wait for a person."""
    note_names: tuple[Name, ...] = (
        "HANDOFF.md",
        "HANDOVER.md",
        "SESSION_HANDOFF.md",
        "AGENT_HANDOFF.md",
        "HANDOFF_NOTES.md",
    )
    """Names of handoff notes, in any folder and any case."""
    note_patterns: tuple[Name, ...] = ("docs/handoffs/*.md", ".claude/handoff*", ".claude/handoffs/*.md")
    """Places of handoff notes of any name."""
    foreign_folders: tuple[Name, ...] = (".handoff",)
    """Folders that may belong to another tool; they are read and never written."""
