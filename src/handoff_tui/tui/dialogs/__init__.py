"""Dialogs: everything that opens over a view."""

from __future__ import annotations
