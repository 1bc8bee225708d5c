"""Asks the person at the terminal. Piped input is never an answer."""

from __future__ import annotations

from handoff_tui.system.processes.terminal import ask, has_terminal, read_width


def can_ask() -> bool:
    return has_terminal()


def read_page_width() -> int | None:
    """Returns the width of the terminal; None if it is unknown."""
    return read_width()


def ask_person(question: str, patience_seconds: float | None = None) -> str | None:
    """Returns what was typed on the terminal itself; None if nobody answered (in time)."""
    return ask(question, patience_seconds=patience_seconds)
