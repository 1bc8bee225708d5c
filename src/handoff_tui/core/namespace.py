"""The namespace under which entries are signed."""

from __future__ import annotations

NAMESPACE = "handoff-log@handoff-tui"
"""The purpose of every signature in the log, and of no other signature."""
