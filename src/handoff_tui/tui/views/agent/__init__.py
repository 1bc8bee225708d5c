"""The agents view."""

from __future__ import annotations
