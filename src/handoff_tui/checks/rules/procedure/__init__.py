"""Rules for smooth procedures, and the facts they share."""

from __future__ import annotations
