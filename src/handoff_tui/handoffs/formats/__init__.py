"""One folder for each handoff format, and the table of them."""

from __future__ import annotations
