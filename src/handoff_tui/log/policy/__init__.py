"""Who may decide what: the trust policy, its keys and its history; begins logs, proposes and seals policies."""

from __future__ import annotations
