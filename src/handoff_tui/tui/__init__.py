"""The app; the only package that imports Textual."""

from __future__ import annotations
