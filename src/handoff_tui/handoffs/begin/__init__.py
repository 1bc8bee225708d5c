"""Begins handoffs: the first documents of each system, which say what to leave behind."""

from __future__ import annotations
