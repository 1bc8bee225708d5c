"""Procedures of many steps, and what each step does here."""

from __future__ import annotations
