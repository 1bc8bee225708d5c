"""`compare ATTEMPT ATTEMPT`: any two attempts, the second against the first."""

from __future__ import annotations

import argparse

from handoff_tui.cli.exit_codes import ExitCode
from handoff_tui.cli.options import add_phase_option, add_reading_options, find_start
from handoff_tui.cli.output import write_json, write_page
from handoff_tui.cli.progress import following
from handoff_tui.handoffs.session import load_terminal_theme, open_desk
from handoff_tui.history.attempts.compare import compare_attempts
from handoff_tui.history.attempts.compare_page import build_compare_json, build_compare_page
from handoff_tui.log.open_log import open_log

_EXAMPLES = """\
examples:
  handoff-tui compare H-3:1 2             two attempts at one phase
  handoff-tui compare H-3:1 now           the first beside what is here now
  handoff-tui compare H-3:build:2 H-4:1   of two phases, or of two handoffs
  handoff-tui compare H-3:1 2 --json | jq '.checks.items[]'

An attempt is ID:NUMBER or ID:PHASE:NUMBER, as `handoff-tui history ID` names it; `now` is what is here.
No command of the repository is started.

exit: 0, or 3 when the log is not sound
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EXAMPLES
    parser.add_argument("first", metavar="ATTEMPT", help="ID:NUMBER, ID:PHASE:NUMBER or ID:now")
    parser.add_argument("second", metavar="ATTEMPT", help="the same, or a number or `now` of the same phase")
    add_phase_option(parser)
    add_reading_options(parser)


def run(arguments: argparse.Namespace) -> ExitCode:
    desk = open_desk(find_start(arguments))
    with following() as telling:
        comparison = compare_attempts(
            desk, open_log(desk.repository), arguments.first, arguments.second, arguments.phase, telling
        )
    if arguments.json:
        write_json(build_compare_json(comparison))
    else:
        write_page(build_compare_page(comparison, everything=arguments.all), load_terminal_theme())
    return ExitCode.INTEGRITY if comparison.fatal else ExitCode.OK
