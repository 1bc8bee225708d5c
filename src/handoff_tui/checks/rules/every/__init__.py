"""Rules for every repository, whatever its format."""

from __future__ import annotations
