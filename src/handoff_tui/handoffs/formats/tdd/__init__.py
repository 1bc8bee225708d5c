"""TDD agents over git: notes, trailers, refs, state files."""

from __future__ import annotations
