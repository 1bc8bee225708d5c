"""The pipeline view."""

from __future__ import annotations
