"""The builder standard: specs, prompts, results, reviews, packages."""

from __future__ import annotations
