"""The work tree as git sees it, captured as a tree without touching the repository."""

from __future__ import annotations
