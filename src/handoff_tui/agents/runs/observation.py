"""What an agent could touch, as it was at one moment; two of them say what a run has done."""

from __future__ import annotations

from handoff_tui.core.model import Model


class Observation(Model):
    """Digests and stamps by path; what could not be read has none."""

    head: str | None = None
    branch: str | None = None
    refs: dict[str, str] = {}
    tree: str | None = None
    """The files of the work folder as a git tree, without `.handoff-tui/`."""
    repository_tree: str | None = None
    """The files of the repository itself, where the agent works in a tree of its own."""
    own: dict[str, str] = {}
    """Files below `.handoff-tui/`."""
    rules: dict[str, str] = {}
    """The files that say how the work is checked."""
    git_files: dict[str, str] = {}
    """Configuration, hooks and attributes beside git's objects."""
    guarded: dict[str, str] = {}
    """Files outside that the agent has no business in."""
    neighbours: dict[str, str] = {}
    """What lies beside the work folder."""
    guarded_names: tuple[str, ...] = ()
    rule_names: tuple[str, ...] = ()
    """What was asked about, so that the same is asked afterwards, whatever the configuration says by then."""
    problem: str | None = None
    """Why the repository could not be read."""
