"""`demo`: builds a sample repository with a real history, and opens it."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from pathlib import Path

from handoff_tui.checks.run.recheck import CheckAgain
from handoff_tui.cli.demo.demo import build_demo, build_recent_demo, describe_next_steps, list_homes
from handoff_tui.cli.diagnostics import write_note
from handoff_tui.cli.exit_codes import ExitCode
from handoff_tui.cli.output import write_page, write_text
from handoff_tui.handoffs.session import open_session
from handoff_tui.status.refresh import refresh
from handoff_tui.status.status_page import build_status_page

EXAMPLES = """\
examples:
  handoff-tui demo
  handoff-tui demo --dir /tmp/sample --no-open
  cd "$(handoff-tui demo --no-open)" && handoff-tui status
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--dir", type=Path, metavar="D", help="build it in this new or empty folder (default: a temporary folder)"
    )
    parser.add_argument(
        "--fixed-dates",
        action="store_true",
        help="keep the dates of the story, in March 2026: its commits then have the same ids everywhere",
    )
    parser.add_argument("--no-open", action="store_true", help="only build it, and print its path")


def run(arguments: argparse.Namespace) -> ExitCode:
    if not arguments.no_open:
        write_note("Building the sample repository …")
    repository = (build_demo if arguments.fixed_dates else build_recent_demo)(arguments.dir)
    if arguments.no_open:
        write_text(str(repository))
        return ExitCode.OK
    if arguments.open_app is not None:
        _open(repository, arguments.open_app)
        return ExitCode.OK
    session = open_session(repository)
    write_page(build_status_page(refresh(session, CheckAgain())))
    write_note(describe_next_steps(repository))
    return ExitCode.OK


def _open(repository: Path, open_app: Callable[..., None]) -> None:
    """Opens the app as the first reviewer of the story, whose key can sign."""
    homes = list_homes(repository)
    if homes:
        for name in ("XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "GIT_CONFIG_GLOBAL"):
            os.environ.pop(name, None)
        os.environ["HOME"] = str(homes[0])
    open_app([repository], None, read_only=False, tour=bool(homes))
    write_note(describe_next_steps(repository))
