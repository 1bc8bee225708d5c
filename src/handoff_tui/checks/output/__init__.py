"""Check results as text, JSON, JSON lines, JUnit, SARIF, TAP, GitHub annotations, Markdown. Pure."""

from __future__ import annotations
