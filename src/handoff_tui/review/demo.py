"""Builds the sample repository in a folder."""

from __future__ import annotations

from pathlib import Path

from handoff_tui.repo.resources import find_resource, make_temporary_folder
from handoff_tui.repo.story import build_story


def build_demo(target: Path | None) -> Path:
    """Builds the story where it was asked for, or in a new temporary folder; returns the repository."""
    folder = target if target is not None else make_temporary_folder("handoff-tui-demo-")
    return build_story(find_resource("sample_repo"), folder.absolute()).repository
