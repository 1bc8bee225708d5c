"""Smooth procedures: contexts, executions, validation sessions."""

from __future__ import annotations
