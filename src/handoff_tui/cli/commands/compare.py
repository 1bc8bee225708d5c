"""`compare ATTEMPT ATTEMPT`: compares any two attempts, the second against the first."""

from __future__ import annotations

import argparse

from handoff_tui.cli.exit_codes import ExitCode
from handoff_tui.cli.options import add_phase_option, add_reading_options, open_named_session
from handoff_tui.cli.output import write_result
from handoff_tui.cli.progress import following
from handoff_tui.history.attempts.attempts import compare_attempts
from handoff_tui.history.attempts.page import build_compare_json, build_compare_page
from handoff_tui.log.open_log import open_log

EXAMPLES = """\
examples:
  handoff-tui compare H-3:1 2             two attempts at one phase
  handoff-tui compare H-3:1 now           the first attempt and the current state
  handoff-tui compare H-3:build:2 H-4:1   attempts at two phases, or of two handoffs
  handoff-tui compare H-3:1 2 --json | jq '.checks.items[]'

An attempt is ID:NUMBER or ID:PHASE:NUMBER, as listed by `handoff-tui history ID`; `now` is the current state.
Runs none of the repository's commands.

exit: 0, or 3 if the log is not intact
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("first", metavar="ATTEMPT", help="ID:NUMBER, ID:PHASE:NUMBER or ID:now")
    parser.add_argument("second", metavar="ATTEMPT", help="the same, or just NUMBER or `now` for the same phase")
    add_phase_option(parser)
    add_reading_options(parser)


def run(arguments: argparse.Namespace) -> ExitCode:
    session = open_named_session(arguments)
    with following() as progress:
        comparison = compare_attempts(
            session, open_log(session.repository), arguments.first, arguments.second, arguments.phase, progress
        )
    write_result(arguments, build_compare_json, build_compare_page, comparison, everything=arguments.all)
    return ExitCode.INTEGRITY if comparison.fatal else ExitCode.OK
