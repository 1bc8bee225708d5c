"""The command line. Only output.py writes stdout, only diagnostics.py stderr."""

from __future__ import annotations
