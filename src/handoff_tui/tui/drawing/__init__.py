"""From cells to the terminal: styles, themes, and the last guard against escape codes."""

from __future__ import annotations
