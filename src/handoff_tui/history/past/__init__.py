"""The repository as of a commit, and the log as of an entry."""

from __future__ import annotations
