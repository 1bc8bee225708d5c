"""How bad something is."""

from __future__ import annotations

from enum import StrEnum


class Severity(StrEnum):
    """Orders lists. Whether a finding blocks is decided elsewhere."""

    CRITICAL = "critical"
    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"
