"""Options that several verbs share."""

from __future__ import annotations

import argparse
from pathlib import Path

from handoff_tui.core.errors import RepositoryError


def add_repository_option(parser: argparse.ArgumentParser) -> None:
    """Adds --repo, which may also come after the verb."""
    parser.add_argument(
        "--repo",
        type=Path,
        metavar="PATH",
        default=argparse.SUPPRESS,
        help="the repository (default: the one around this folder)",
    )


def add_handoff_argument(parser: argparse.ArgumentParser) -> None:
    """Adds the id of a handoff."""
    parser.add_argument("id", metavar="ID", help="the handoff, as listed by `handoff-tui status`")


def add_phase_option(parser: argparse.ArgumentParser) -> None:
    """Adds --phase, which names a gate of the handoff."""
    parser.add_argument("--phase", metavar="P", help="the phase (default: the one that was handed over)")


def add_json_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print one JSON object for scripts")


def add_reading_options(parser: argparse.ArgumentParser) -> None:
    """Adds --repo, --json and --all."""
    add_repository_option(parser)
    add_json_option(parser)
    parser.add_argument("--all", action="store_true", help="print every list in full")


def add_at_option(parser: argparse.ArgumentParser) -> None:
    """Adds --at, a moment in the past."""
    parser.add_argument(
        "--at", metavar="COMMIT|ENTRY", help="look at the repository as it was at a commit or log entry"
    )


def find_start(arguments: argparse.Namespace) -> Path:
    """Returns the folder in which the search for a repository starts."""
    repo: Path | None = arguments.repo
    try:
        return repo if repo is not None else Path.cwd()
    except FileNotFoundError as gone:
        raise RepositoryError("the current folder no longer exists", "Change to another folder.") from gone
