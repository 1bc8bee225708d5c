"""Rules for Mosaic session state, and the facts they share."""

from __future__ import annotations
