"""The log view."""

from __future__ import annotations
