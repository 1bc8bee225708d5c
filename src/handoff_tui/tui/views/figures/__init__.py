"""The metrics view."""

from __future__ import annotations
