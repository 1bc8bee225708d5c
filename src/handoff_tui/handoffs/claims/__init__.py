"""Claims beside measurements, and what stands in the way of a handoff."""

from __future__ import annotations
