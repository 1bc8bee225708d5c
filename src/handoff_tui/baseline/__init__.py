"""Captures, stores and compares snapshots. May import config and below; comparing is pure.

Nothing here decides: which snapshot was approved is for `review/` to say. Nothing is written to the user's git objects.
"""

from __future__ import annotations
