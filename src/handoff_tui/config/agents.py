"""Agents: how one is started, what it may see, and how long it may take."""

from __future__ import annotations

from enum import StrEnum

from handoff_tui.config.quantities import Arguments, Count, Name, Pause, Seconds
from handoff_tui.models.base import Model

_PROMPT = """\
You are the agent of the phase {phase} of {handoff}, attempt {attempt}.

{context}

{packet}
"""


class WorkFolder(StrEnum):
    """Where an agent works."""

    REPOSITORY = "repository"
    WORKTREE = "worktree"


class Agent(Model):
    """An agent that is started by a command."""

    command: Arguments
    """The program and its arguments; {prompt_file}, {handoff}, {phase}, {attempt} and {repository} are filled in."""
    folder: WorkFolder = WorkFolder.WORKTREE
    """Where it works: in the repository itself, or in a work tree of its own."""
    environment: tuple[Name, ...] = ("HOME", "PATH", "LANG", "LC_ALL", "TERM", "USER", "SHELL", "TMPDIR")
    """Variables it is given; all others are held back."""
    timeout_seconds: Seconds = 1800
    """How long one try may take."""
    grace_seconds: Seconds = 5
    """How long it may take to end when it is told to, before it is killed."""
    retries: Count = 0
    """Tries after the first."""
    backoff_seconds: tuple[Pause, ...] = (1, 2, 4)
    """The wait before each retry; the last one is used again when there are more retries."""
    prompt: str = _PROMPT
    """The prompt; {handoff}, {phase}, {attempt}, {context} and {packet} are filled in."""
