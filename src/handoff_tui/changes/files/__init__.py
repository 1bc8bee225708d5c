"""The diff of one file: hunks, words, kinds, hidden characters."""

from __future__ import annotations
