"""One file per verb: `add_parser` declares it, `run` does it and returns the exit code."""

from __future__ import annotations
