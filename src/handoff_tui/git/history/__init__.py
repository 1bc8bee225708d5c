"""Commits, refs, notes, and when paths last changed."""

from __future__ import annotations
