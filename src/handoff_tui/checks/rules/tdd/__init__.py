"""Rules for TDD agents."""

from __future__ import annotations
