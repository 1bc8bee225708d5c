"""Who may decide what: the trust policy, its keys and its history."""

from __future__ import annotations
