"""Asking the person at the terminal. Piped input is never an answer."""

from __future__ import annotations

from handoff_tui.repo.terminal import ask, has_terminal


def can_ask() -> bool:
    return has_terminal()


def ask_person(question: str) -> str | None:
    """What was typed, on the terminal itself; nothing when nobody answered."""
    return ask(question)
