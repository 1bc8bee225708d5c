"""Handoff notes in Markdown."""

from __future__ import annotations
