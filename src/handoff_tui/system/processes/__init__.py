"""Processes started, bounded, found again and ended; the editor and the terminal."""

from __future__ import annotations
