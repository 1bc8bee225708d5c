"""What the visible views need, read when they need it."""

from __future__ import annotations
