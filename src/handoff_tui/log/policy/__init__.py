"""Who may decide what: the trust policy, its keys and its history; logs begun, policies proposed and sealed."""

from __future__ import annotations
