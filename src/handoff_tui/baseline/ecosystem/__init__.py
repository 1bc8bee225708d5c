"""Packages as the files of their ecosystems declare them: bytes to records, one file a language. Pure; never raises."""

from __future__ import annotations
