"""Running checks on a repository: rules, commands, user functions, remembered results, consent."""

from __future__ import annotations
