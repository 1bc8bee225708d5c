"""Settings, pipeline, keymap and theme data: found, merged, origins remembered. May import repo and below."""

from __future__ import annotations
