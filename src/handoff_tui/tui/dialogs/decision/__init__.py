"""The decision dialog."""

from __future__ import annotations
