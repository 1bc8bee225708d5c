"""The one door for what only a person may do, and the questions asked at their terminal, never of a pipe."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import TypeVar

from handoff_tui.core.errors import NoHumanError, UsageError
from handoff_tui.system.processes.agent_marks import find_agent_mark, find_injected_code
from handoff_tui.system.processes.terminal import ask, has_terminal, read_width

_ISOLATED = "python -I -m handoff_tui"


class Confirmation(StrEnum):
    """How a decision was confirmed, as the review record says it."""

    TERMINAL = "terminal"
    """Typed at a terminal."""
    APP = "app"
    """Pressed in the app."""
    HEADLESS = "headless"
    """Named by its digest, where the signed policy allows that."""

    @property
    def words(self) -> str:
        return {"terminal": "at a terminal", "app": "in the app", "headless": "without a terminal, by policy"}[self]


_T = TypeVar("_T")


def require_person(act: str, way: Confirmation = Confirmation.TERMINAL) -> None:
    """Refuses if an agent is at work here, or if nobody is at a terminal. `act` completes "An agent may not …".

    The app has a terminal or it would not run. Whether a decision may do without one is a question for the policy.
    """
    mark = find_agent_mark()
    if mark is not None:
        raise NoHumanError(
            f"this was started by {mark.host} ({mark}), and an agent may not {act}",
            "A person does this, in a terminal of their own that no agent opened. Nothing was changed.",
        )
    injected = find_injected_code()
    if injected is not None:
        raise NoHumanError(
            f"{injected} loads other people's code into this program, which could answer for you",
            f"Start it without: `env -u PYTHONPATH -u PYTHONHOME -u PYTHONUSERBASE handoff-tui`, or `{_ISOLATED}`.",
        )
    if way is Confirmation.TERMINAL and not has_terminal():
        raise NoHumanError(
            f"there is no terminal here, and only a person at one may {act}",
            "Run it in a terminal. Piped input never counts as an answer.",
        )


def read_page_width() -> int | None:
    """Returns the width of the terminal; None if it is unknown."""
    return read_width()


def ask_person(question: str, patience_seconds: float | None = None) -> str | None:
    """Returns what was typed on the terminal itself; None if nobody answered (in time)."""
    return ask(question, patience_seconds=patience_seconds)


def ask_until_clear(question: str, parse: Callable[[str], _T], patience_seconds: float | None = None) -> _T | None:
    """Asks again, and says why, until the answer can be used; None if nobody answered (in time)."""
    asked, last = question, question.rpartition("\n")[2]
    while (answer := ask_person(asked, patience_seconds)) is not None:
        try:
            return parse(answer)
        except UsageError as wrong:
            asked = f"{wrong.message}. {wrong.hint}\n{last}"
    return None


def parse_yes(answer: str) -> bool:
    """Parses the answer to a question with [Y/n]: Enter is yes."""
    words = {"": True, "y": True, "yes": True, "n": False, "no": False}
    if answer.casefold() not in words:
        raise UsageError(f"'{answer}' is neither y nor n", "Answer y or n; Enter is y.")
    return words[answer.casefold()]
