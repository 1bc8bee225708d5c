"""`coverage`: shows which changed files somebody approved, and with FILE, who approved which lines."""

from __future__ import annotations

import argparse
import os

from handoff_tui.cli.exit_codes import ExitCode
from handoff_tui.cli.options import add_pin_option, add_reading_options, use_pin
from handoff_tui.cli.remembered import open_cache, repeat

EXAMPLES = """\
examples:
  handoff-tui coverage                       every file changed since the start line, by who approved it
  handoff-tui coverage --since origin/main   what this branch adds: for CI, before a merge
  handoff-tui coverage src/app.py            blame for approvals: who approved which lines
  handoff-tui coverage --json | jq -r '.files[] | select(.state == "unclaimed") | .path'

exit: 0 everything is approved or overridden, 1 something is not, 3 the log is not intact, or nothing vouches for it
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", nargs="?", help="show the lines of this file")
    parser.add_argument("--since", metavar="REF", help="count changes after this commit (default: the start line)")
    add_pin_option(parser)
    add_reading_options(parser)


def run(arguments: argparse.Namespace) -> ExitCode:
    use_pin(arguments)
    arguments.here = os.getcwd() if arguments.file is not None else None  # FILE is seen from there  # noqa: PTH109
    recall = open_cache(arguments)
    known = repeat(recall)
    if known is not None:
        return known
    from handoff_tui.cli.fresh.coverage import run_coverage  # noqa: PLC0415 - only a real look needs it

    return run_coverage(arguments, recall)
