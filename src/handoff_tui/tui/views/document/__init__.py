"""The documents view."""

from __future__ import annotations
