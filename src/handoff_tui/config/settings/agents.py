"""Agents: how one is started, what it may see, and how long it may take."""

from __future__ import annotations

from enum import StrEnum

from handoff_tui.config.settings.quantities import Arguments, Count, Name, Pause, Quantity, Seconds
from handoff_tui.core.model import Model

_PROMPT = """\
{role}

You are the agent of the phase {phase} of {handoff}, attempt {attempt}. Work in {folder}.
Everything that is known is below, and in {context_file} for programs. Commit what you do.

{context}

{packet}
"""

_GUARDED = ("~/.ssh", "~/.gnupg", "~/.gitconfig", "~/.config/git", "~/.bashrc", "~/.profile", "~/.zshrc")


class WorkFolder(StrEnum):
    """Where an agent works."""

    REPOSITORY = "repository"
    WORKTREE = "worktree"


class Agent(Model):
    """An agent that is started by a command."""

    command: Arguments
    """The program and its arguments. Filled in are {prompt}, {prompt_file}, {context_file}, {notes_file}, {handoff},
    {phase}, {attempt}, {folder} and {repository}."""
    role: str = ""
    """Who it is and what it is to do, said first; with nothing, the prompt of the role of its name in [hub.roles]."""
    folder: WorkFolder = WorkFolder.REPOSITORY
    """Where it works: in the repository itself, or in a work tree and on a branch of its own."""
    environment: tuple[Name, ...] = ("HOME", "PATH", "LANG", "LC_ALL", "TERM", "USER", "SHELL", "TMPDIR")
    """Variables it is given; all others are held back."""
    timeout_seconds: Seconds = 1800
    """How long one try may take."""
    grace_seconds: Seconds = 5
    """How long it may take to end when it is told to, before it is killed."""
    output_bytes: Quantity = 1024 * 1024 * 1024
    """How much it may print; with more it is stopped."""
    retries: Count = 0
    """Tries after the first when it fails by itself: another exit code than 0, or no end in time."""
    backoff_seconds: tuple[Pause, ...] = (1, 2, 4)
    """The wait before each retry; the last one is used again when there are more retries."""
    prompt: str = _PROMPT
    """The prompt; {role}, {context}, {packet} and what the command knows are filled in."""
    may_change_nothing: bool = False
    """Whether an exit with 0 and no file changed is as it should be: for one that only looks, or works elsewhere."""
    guarded: tuple[Name, ...] = _GUARDED
    """Files and folders outside its own that it has no business in: a change there is told."""
