"""The machine: files, processes, the terminal, the clock. With git/, the only room that touches the outside world."""

from __future__ import annotations
