"""Follows a repository: what changed, and what must be read again because of it."""

from __future__ import annotations
