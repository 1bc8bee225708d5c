"""Does what the reviewer asks for: decide, run agents, bisect, travel in time."""

from __future__ import annotations
