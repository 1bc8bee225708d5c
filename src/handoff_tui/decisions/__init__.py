"""Decisions: the gate examined, a decision prepared, confirmed, signed; submissions, waiting, rejection packets."""

from __future__ import annotations
