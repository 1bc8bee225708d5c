"""The attempts at a phase, side by side, and any two compared."""

from __future__ import annotations
