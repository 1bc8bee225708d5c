"""The commands that a repository asks to run, as they are read."""

from __future__ import annotations

from handoff_tui.checks.report import RequestedCommand, RequestedCommands
from handoff_tui.core.text.page import Page
from handoff_tui.tui.dialogs.proposal import add_trust
from tests.support.reviewed import list_lines


def test_page_shows_every_word_and_every_script() -> None:
    """What is trusted is seen, and nothing of it is obeyed by the terminal."""
    commands = (
        RequestedCommand("lint", ("sh", "-c", "a\x1b[2J"), (("lint.sh", "sha256:34"),)),
        RequestedCommand("x", ("x",), ()),
    )
    page = Page()
    add_trust(page, RequestedCommands("sha256:12", commands, ("own=checks:run",)))
    lines = list_lines(page)
    assert lines[0] == "This repository asks to run 3 checks with your permissions."
    for line in (
        "runs     sh",
        "         -c",
        "         a␛[2J",
        "script   lint.sh  sha256:34",
        "calls    own=checks:run",
    ):
        assert line in lines
    assert lines[-1] == "digest   sha256:12"
