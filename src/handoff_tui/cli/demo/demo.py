"""Builds the sample repository in a folder: its history, and beside it a signed log with the keys to go on."""

from __future__ import annotations

from pathlib import Path

from handoff_tui.cli.demo.demo_log import write_demo_log
from handoff_tui.cli.demo.story import build_story
from handoff_tui.core.errors import SshKeygenMissingError
from handoff_tui.handoffs.session import has_log, open_desk
from handoff_tui.system.resources import find_resource, make_temporary_folder


def build_demo(target: Path | None) -> Path:
    """Builds the story where it was asked for, or in a new temporary folder; returns the repository.

    Without ssh-keygen nothing can be signed, and the sample has no log.
    """
    folder = target if target is not None else make_temporary_folder("handoff-tui-demo-")
    source = find_resource("sample_repo")
    story = build_story(source, folder.absolute())
    try:
        write_demo_log(source, story)
    except SshKeygenMissingError:
        return story.repository
    return story.repository


def list_homes(repository: Path) -> tuple[Path, ...]:
    """The homes of the people who decide in the sample, its first reviewer's first; none where there is no log."""
    folder = repository.parent
    homes = (folder / "home", folder / "home-tomas")
    return tuple(home for home in homes if home.is_dir()) if has_log(open_desk(repository)) else ()
