"""Rules for Mosaic session state."""

from __future__ import annotations
