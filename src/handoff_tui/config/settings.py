"""Every setting with its default. No number of a rule stands anywhere else."""

from __future__ import annotations

from handoff_tui.models.base import Model


class Limits(Model):
    """How much is read."""

    file_bytes: int = 4 * 1024 * 1024
    """The largest file that is read; a larger one is listed with a problem."""
    markdown_bytes: int = 512 * 1024
    """The largest document that is parsed as Markdown."""
    commits: int = 200
    """How many commits back from HEAD are searched for handoff trailers and notes."""


class Builder(Model):
    """The builder standard."""

    spec_sections: tuple[str, ...] = (
        "Mission",
        "Critical Constraints",
        "Architecture / Design",
        "Implementation Steps",
        "Package Plan",
        "Test Plan",
        "Existing Code to Reference",
        "End-to-End Verification",
        "Files Summary",
        "Design Principles",
    )
    results_sections: tuple[str, ...] = (
        "Status",
        "Files Created",
        "Files Modified",
        "Archives Built",
        "Test Results",
        "Full Regression Test",
        "Baseline Snapshot",
        "Clean-Room Verification",
        "Issues Encountered",
        "Notes for Reviewer",
    )


class Tdd(Model):
    """TDD agents over git."""

    notes_ref: str = "refs/notes/tdd-handoffs"


class Settings(Model):
    """All settings."""

    limits: Limits = Limits()
    builder: Builder = Builder()
    tdd: Tdd = Tdd()
