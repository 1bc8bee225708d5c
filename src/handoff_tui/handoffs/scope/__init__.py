"""Which changes belong to which handoff, why, and what nobody claims."""

from __future__ import annotations
