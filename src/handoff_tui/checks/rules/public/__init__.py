"""Rules for the formats that public repositories use."""

from __future__ import annotations
