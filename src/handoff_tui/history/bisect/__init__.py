"""Finds the commit that broke a check."""

from __future__ import annotations
