"""The diff view."""

from __future__ import annotations
