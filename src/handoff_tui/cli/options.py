"""Options that several verbs share."""

from __future__ import annotations

import argparse
from pathlib import Path

from handoff_tui.core.errors import RepositoryError


def add_repository_option(parser: argparse.ArgumentParser) -> None:
    """Which repository; also after the verb."""
    parser.add_argument(
        "--repo",
        type=Path,
        metavar="PATH",
        default=argparse.SUPPRESS,
        help="the repository (default: the one around this folder)",
    )


def add_handoff_argument(parser: argparse.ArgumentParser) -> None:
    """Which handoff."""
    parser.add_argument("id", metavar="ID", help="the id that `handoff-tui status` lists")


def add_phase_option(parser: argparse.ArgumentParser) -> None:
    """Which gate of a handoff."""
    parser.add_argument("--phase", metavar="P", help="the phase (default: the one whose work was handed over)")


def add_reading_options(parser: argparse.ArgumentParser) -> None:
    """For verbs that read: which repository, and how to print it."""
    add_repository_option(parser)
    parser.add_argument("--json", action="store_true", help="print one JSON object for scripts")
    parser.add_argument("--all", action="store_true", help="print every line instead of the first few of each list")


def add_at_option(parser: argparse.ArgumentParser) -> None:
    """Which moment."""
    parser.add_argument(
        "--at", metavar="COMMIT|ENTRY", help="the repository as it was at a commit, or at an entry of the log"
    )


def find_start(arguments: argparse.Namespace) -> Path:
    """The folder to look for a repository from."""
    repo: Path | None = arguments.repo
    try:
        return repo if repo is not None else Path.cwd()
    except FileNotFoundError as gone:
        raise RepositoryError("the current folder does not exist any more", "Go to another one.") from gone
