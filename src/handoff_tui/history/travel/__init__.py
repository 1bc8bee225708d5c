"""The repository as it was at a commit or at an entry of the log."""

from __future__ import annotations
