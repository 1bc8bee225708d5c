"""Claims beside measurements, and what blocks a handoff."""

from __future__ import annotations
