"""Rules for the builder standard."""

from __future__ import annotations
