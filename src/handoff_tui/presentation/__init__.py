"""Model to words, glyphs and rows: pure, shared by both front ends. May import models and errors."""

from __future__ import annotations
