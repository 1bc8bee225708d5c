"""The built-in rules, by the system they come from."""

from __future__ import annotations
