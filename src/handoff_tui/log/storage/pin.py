"""The pin of a log's first entry in the user's own git configuration, where no agent of the repository writes it."""

from __future__ import annotations

from handoff_tui.core.errors import LogPresentError
from handoff_tui.git.command import Git
from handoff_tui.git.signing.signing_key import UserSettings


def build_pin_key(name: str) -> str:
    """The setting that holds the pin of the repository in a folder of this name."""
    return f"handoff-tui.{name}.pin"


def read_pin(git: Git, name: str) -> str | None:
    return UserSettings(git).get(build_pin_key(name))


def write_pin(git: Git, name: str, genesis: str) -> None:
    """Sets the pin in global scope; another one that is there is left alone, and that is an error."""
    present = read_pin(git, name)
    if present not in {None, genesis}:
        raise LogPresentError(
            f"{build_pin_key(name)} is {present} already; it is left alone",
            "Another repository in a folder of the same name may own it.",
        )
    git.read("config", "--global", build_pin_key(name), genesis)
