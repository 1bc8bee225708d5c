"""What makes a change worth a closer look."""

from __future__ import annotations
