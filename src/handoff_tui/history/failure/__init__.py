"""Why a gate is closed: the check to look at first, and what changed since it passed."""

from __future__ import annotations
