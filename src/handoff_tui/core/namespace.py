"""The namespace under which entries are signed."""

from __future__ import annotations

NAMESPACE = "handoff-log@handoff-tui"
"""What every signature of the log is made for, and no other."""
