"""Proofs of work, by task across runs."""

from __future__ import annotations
