"""Bytes to handoffs: JSON and Markdown with places, the format contract, who owns which file."""

from __future__ import annotations
