"""`show ID`: one handoff whole, claims beside measurements."""

from __future__ import annotations

import argparse

from handoff_tui.cli.exit_codes import ExitCode
from handoff_tui.cli.options import add_handoff_argument, add_reading_options, find_start
from handoff_tui.cli.output import write_json, write_page
from handoff_tui.presentation.show import build_show_json
from handoff_tui.presentation.show_page import build_show_page
from handoff_tui.review.desk import load_terminal_theme, open_desk
from handoff_tui.review.refresh import refresh
from handoff_tui.review.show import show

_EXAMPLES = """\
examples:
  handoff-tui show H-3
  handoff-tui show mosaic --all
  handoff-tui show H-3 --json | jq '.claims[] | select(.verdict == "contradicted")'
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EXAMPLES
    add_handoff_argument(parser)
    add_reading_options(parser)


def run(arguments: argparse.Namespace) -> ExitCode:
    desk = open_desk(find_start(arguments))
    shown = show(desk, refresh(desk), arguments.id)
    if arguments.json:
        write_json(build_show_json(shown))
    else:
        write_page(build_show_page(shown, everything=arguments.all), load_terminal_theme())
    return ExitCode.OK
