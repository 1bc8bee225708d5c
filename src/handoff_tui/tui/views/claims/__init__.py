"""The claims view."""

from __future__ import annotations
