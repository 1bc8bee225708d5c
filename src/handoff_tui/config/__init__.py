"""handoff-tui.toml: found, merged, checked, with the origin of every value. Keymap and theme."""

from __future__ import annotations
