"""What the reviewer does in the app: decide, run agents, bisect, travel."""

from __future__ import annotations
