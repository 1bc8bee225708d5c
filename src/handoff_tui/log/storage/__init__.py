"""The log on disk, in git and in the cache; its lock, and what this machine remembers of it."""

from __future__ import annotations
