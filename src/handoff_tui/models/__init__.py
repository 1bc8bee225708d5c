"""The common model: frozen pydantic values. May import errors; no I/O, no clock, no randomness."""

from __future__ import annotations
