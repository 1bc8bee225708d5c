"""One entry: canonical bytes, envelope, SSH signatures. Pure."""

from __future__ import annotations
