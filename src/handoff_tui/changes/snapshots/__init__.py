"""Snapshots: taken, stored, pinned, shown."""

from __future__ import annotations
