"""What keeps agents from signing as a person, as the people say in the policy. Nothing here opens or closes a gate."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum

from handoff_tui.core.errors import UsageError
from handoff_tui.git.signing.key_grade import KeyGrade

NONE = "none"


class Wall(StrEnum):
    """One thing that keeps an agent from signing as its operator."""

    OTHER_USER = "other-user"
    CI = "ci"
    TOUCH = "touch"
    PASSPHRASE = "passphrase"
    CONFIRM = "confirm"
    TWO_PEOPLE = "two-people"

    @property
    def words(self) -> str:
        return _WORDS[self]


_WORDS = {
    Wall.OTHER_USER: "agents run under another user account, or in a container",
    Wall.CI: "CI asks the gate, with a pinned first entry",
    Wall.TOUCH: "your key signs only when touched",
    Wall.PASSPHRASE: "your key asks for its passphrase each time",
    Wall.CONFIRM: "your ssh-agent asks before each use (ssh-add -c)",
    Wall.TWO_PEOPLE: "two people decide, each with a key of their own",
}


def parse_protection(words: str) -> tuple[Wall, ...]:
    """Parses walls with commas between them; `none` alone says that there is none."""
    names = [name.strip().casefold() for name in words.split(",") if name.strip()]
    if names == [NONE]:
        return ()
    known = {wall.value for wall in Wall}
    wrong = next((name for name in names if name not in known), None)
    if wrong is not None or not names:
        raise UsageError(
            f"{wrong or words!r} is nothing that protects a signature", f"Choose from {', '.join(Wall)}, or {NONE}."
        )
    return tuple(wall for wall in Wall if wall in names)


def render_protection(walls: Iterable[Wall]) -> str:
    return ",".join(walls) or NONE


def guess_protection(grade: KeyGrade) -> tuple[Wall, ...]:
    """What can be seen of the key: the answer for a person who gives none."""
    seen = {KeyGrade.TOUCH: Wall.TOUCH, KeyGrade.PASSPHRASE: Wall.PASSPHRASE}.get(grade)
    return () if seen is None else (seen,)


def build_question(usual: tuple[Wall, ...]) -> str:
    """Asks once, in a few lines; an empty answer means `usual`."""
    rows = "\n".join(f"  {wall.value:<11}{wall.words}" for wall in Wall)
    return (
        f"What keeps an agent from signing as you? The answer goes into the policy.\n{rows}\n"
        f"Those in place, with commas between them, or {NONE} [{render_protection(usual)}]: "
    )
