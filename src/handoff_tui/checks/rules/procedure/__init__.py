"""Rules for smooth procedures."""

from __future__ import annotations
