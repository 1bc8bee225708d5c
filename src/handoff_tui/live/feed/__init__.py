"""Follows a repository: what changed, and what must be read again."""

from __future__ import annotations
