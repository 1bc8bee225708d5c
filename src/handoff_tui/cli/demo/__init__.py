"""The sample repository and its story."""

from __future__ import annotations
