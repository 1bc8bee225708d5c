"""A log begun, and keys enrolled."""

from __future__ import annotations
