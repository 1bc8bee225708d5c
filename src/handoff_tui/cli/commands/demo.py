"""`demo`: builds the sample repository, real history and all, and reviews it."""

from __future__ import annotations

import argparse
import shlex
from pathlib import Path

from handoff_tui.cli.diagnostics import write_note
from handoff_tui.cli.exit_codes import ExitCode
from handoff_tui.cli.output import write_page, write_text
from handoff_tui.presentation.status import build_status_page
from handoff_tui.review.demo import build_demo
from handoff_tui.review.desk import load_terminal_theme, open_desk
from handoff_tui.review.refresh import refresh

_EXAMPLES = """\
examples:
  handoff-tui demo
  handoff-tui demo --dir /tmp/sample --no-open
  cd "$(handoff-tui demo --no-open)" && handoff-tui status
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EXAMPLES
    parser.add_argument(
        "--dir", type=Path, metavar="D", help="build it here (absent or empty; default: a new temporary folder)"
    )
    parser.add_argument("--no-open", action="store_true", help="only build it and print its path")


def run(arguments: argparse.Namespace) -> ExitCode:
    if not arguments.no_open:
        write_note("building the sample repository ...")
    repository = build_demo(arguments.dir)
    if arguments.no_open:
        write_text(str(repository))
        return ExitCode.OK
    desk = open_desk(repository)
    write_page(build_status_page(refresh(desk)), load_terminal_theme())
    folder = shlex.quote(str(repository))
    write_note(f"\nNow look closer:\n  cd {folder}\n  handoff-tui show H-3\n  handoff-tui show mosaic")
    return ExitCode.OK
