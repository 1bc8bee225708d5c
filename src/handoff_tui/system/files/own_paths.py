"""Where our own files are in a repository. What is there is about the work, and no part of it."""

from __future__ import annotations

OWN_FOLDER = ".handoff-tui"
ALL_BUT_OWN = ("--", ":(top)", f":(top,exclude,literal){OWN_FOLDER}")
"""Paths of a git call that asks about the work."""


def is_own(path: str) -> bool:
    return path.startswith(f"{OWN_FOLDER}/")
