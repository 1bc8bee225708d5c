"""What decisions are made of."""

from __future__ import annotations
