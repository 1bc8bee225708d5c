"""The proofs of work."""

from __future__ import annotations
