"""One model for each section of the settings."""

from __future__ import annotations
