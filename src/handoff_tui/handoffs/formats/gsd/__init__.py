"""GSD: a state file and its companion note."""

from __future__ import annotations
