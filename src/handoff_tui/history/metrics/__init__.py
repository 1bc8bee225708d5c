"""Metrics computed from the signed log and git alone."""

from __future__ import annotations
