"""The log listed, shown, verified, bundled for others."""

from __future__ import annotations
