"""Widgets that several views share."""

from __future__ import annotations
