"""handoff-tui: the desk where a person decides whether one agent's work may pass to the next."""

from __future__ import annotations

__version__ = "0.1.0"
