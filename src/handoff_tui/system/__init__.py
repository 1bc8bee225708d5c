"""The machine: files, processes, the terminal, the clock. With git/, the only package that touches anything outside."""

from __future__ import annotations
