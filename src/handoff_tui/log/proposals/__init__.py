"""A new policy: proposed, signed by several people, sealed into the log."""

from __future__ import annotations
