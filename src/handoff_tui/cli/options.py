"""Options that several verbs share."""

from __future__ import annotations

import argparse
from pathlib import Path


def add_reading_options(parser: argparse.ArgumentParser) -> None:
    """For verbs that read: which repository, and how to print it."""
    parser.add_argument(
        "--repo",
        type=Path,
        metavar="PATH",
        default=argparse.SUPPRESS,
        help="the repository (default: the one around this folder)",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object for scripts")
    parser.add_argument("--all", action="store_true", help="print every line instead of the first few of each list")


def find_start(arguments: argparse.Namespace) -> Path:
    """The folder to look for a repository from."""
    repo: Path | None = arguments.repo
    return repo if repo is not None else Path.cwd()
