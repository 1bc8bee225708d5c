"""Back to what was last approved, everything saved first."""

from __future__ import annotations
