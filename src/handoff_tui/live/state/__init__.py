"""Everything the app shows, as one frozen value."""

from __future__ import annotations
