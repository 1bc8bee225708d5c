"""Rules for the workflow hub, and the facts they share."""

from __future__ import annotations
