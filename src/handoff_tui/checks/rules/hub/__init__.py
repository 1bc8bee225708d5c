"""Rules for the workflow hub."""

from __future__ import annotations
