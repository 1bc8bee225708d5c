"""Looking back: attempts, failures, bisect, time travel, metrics, replay."""

from __future__ import annotations
