"""Rules for the builder standard, and the facts they share."""

from __future__ import annotations
