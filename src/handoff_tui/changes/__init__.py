"""What differs from the baseline: snapshots compared, files diffed, risk measured."""

from __future__ import annotations
