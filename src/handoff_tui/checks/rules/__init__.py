"""One rule per file, named for what is true when it passes. Rules know nothing of each other."""

from __future__ import annotations
