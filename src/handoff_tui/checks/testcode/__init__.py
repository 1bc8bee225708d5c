"""Test code parsed by language: tests, assertions, skips. Pure."""

from __future__ import annotations
