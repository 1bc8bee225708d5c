"""The time of day, for ages on the screen. Nothing rests on it: what a decision needs is read by the desk."""

from __future__ import annotations

from datetime import UTC, datetime


def read_now() -> datetime:
    return datetime.now(UTC)
