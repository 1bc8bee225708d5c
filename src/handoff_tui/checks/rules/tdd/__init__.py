"""Rules for TDD agents, and the facts they share."""

from __future__ import annotations
