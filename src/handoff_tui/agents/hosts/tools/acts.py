"""What a command can do that matters to a gate, and what it meets when it runs. Values."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum

from handoff_tui.core.classes import NamedTuple


class ActKind(StrEnum):
    """What a command does."""

    PASS_ON = "pass on"
    """Pushes or merges work, or has a forge do so."""
    UNCLEAR = "unclear"
    """May do so; only a running shell would know."""
    DECIDE = "decide"
    """Decides, or changes who may."""
    WRITE = "write"
    """Changes the named file."""
    DELETE = "delete"
    """Takes the named file or folder away."""
    SIGN = "sign"
    """Signs with a person's key, or changes which one is used."""


class Act(NamedTuple):
    """One thing that a command line would do, and in which folder."""

    kind: ActKind
    what: str
    """The command in short; for a write, the path."""
    folder: str


class Surroundings(NamedTuple):
    """What a command line meets when it runs."""

    folder: str
    home: str
    aliases: Callable[[str], Mapping[str, str]] = lambda _: {}
    """The git aliases in a folder."""
    read_file: Callable[[str], str | None] = lambda _: None
    """The text of a small script; None if it isn't one."""
