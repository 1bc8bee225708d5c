"""Asking the person at the terminal. Piped input is never an answer."""

from __future__ import annotations

from handoff_tui.system.processes.terminal import ask, has_terminal, read_width


def can_ask() -> bool:
    return has_terminal()


def read_page_width() -> int | None:
    """How wide a page may be that is shown before a question; nothing where that is not known."""
    return read_width()


def ask_person(question: str) -> str | None:
    """What was typed, on the terminal itself; nothing when nobody answered."""
    return ask(question)
