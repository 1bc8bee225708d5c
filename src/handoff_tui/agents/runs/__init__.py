"""Runs on disk: folders, supervisor, locks, work trees."""

from __future__ import annotations
