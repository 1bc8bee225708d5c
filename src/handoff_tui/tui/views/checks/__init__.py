"""The checks view."""

from __future__ import annotations
