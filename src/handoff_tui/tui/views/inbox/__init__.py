"""The inbox."""

from __future__ import annotations
