"""The builder dialect: specs, results, prompts, reviews and package manifests. Start in `dialect.py`."""

from __future__ import annotations
