"""Facts that rules of several systems gather from a repository. Pure."""

from __future__ import annotations
