"""Files read safely and written atomically."""

from __future__ import annotations
