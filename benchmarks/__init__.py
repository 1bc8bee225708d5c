"""Measurements as ratios within one interleaved run; never milliseconds against a limit. `make bench` runs them."""

from __future__ import annotations
