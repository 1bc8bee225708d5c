"""`status`: every handoff found, what blocks it, who owes the next move; files not understood."""

from __future__ import annotations

import argparse

from handoff_tui.cli.exit_codes import ExitCode
from handoff_tui.cli.options import add_reading_options, find_start
from handoff_tui.cli.output import write_json, write_page
from handoff_tui.presentation.status import build_status_json, build_status_page
from handoff_tui.review.desk import load_terminal_theme, open_desk
from handoff_tui.review.refresh import refresh

_EXAMPLES = """\
examples:
  handoff-tui status
  handoff-tui status --repo ../other --all
  handoff-tui status --json | jq '.handoffs[] | select(.gate.next_move.who != "agent") | .id'
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EXAMPLES
    add_reading_options(parser)


def run(arguments: argparse.Namespace) -> ExitCode:
    desk = open_desk(find_start(arguments))
    state = refresh(desk)
    if arguments.json:
        write_json(build_status_json(state))
    else:
        write_page(build_status_page(state, everything=arguments.all), load_terminal_theme())
    return ExitCode.OK
