"""The attempts view."""

from __future__ import annotations
