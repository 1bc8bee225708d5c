"""Checks: what a rule is, what it may ask, the engine that runs it."""

from __future__ import annotations
