"""The clock, so that tests can stop it."""

from __future__ import annotations

from datetime import UTC, datetime


def read_now() -> datetime:
    return datetime.now(UTC)
