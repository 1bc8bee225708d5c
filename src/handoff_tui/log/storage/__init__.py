"""The log on disk, in git and in the cache; its lock and its pin."""

from __future__ import annotations
