"""The command line. Only output.py writes to stdout, only diagnostics.py to stderr."""

from __future__ import annotations
