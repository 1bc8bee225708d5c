"""The table of dialects. To add one: a file beside this one, and a line here."""

from __future__ import annotations
