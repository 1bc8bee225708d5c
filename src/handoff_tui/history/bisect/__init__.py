"""The commit at which a check began to fail."""

from __future__ import annotations
