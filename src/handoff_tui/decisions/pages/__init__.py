"""Gates, decisions and packets as pages and JSON. Pure."""

from __future__ import annotations
