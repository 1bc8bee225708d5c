"""One file or folder per handoff format: bytes to the common model. May import config and below.

Problems are collected, never raised: a malformed file yields a problem with its place, not an exception and not
silence. A dialect reads only what its shelf gives it.
"""

from __future__ import annotations
