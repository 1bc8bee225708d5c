"""Where every handoff stands: inbox, pipeline, next move, one handoff in full."""

from __future__ import annotations
