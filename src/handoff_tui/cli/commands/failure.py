"""`failure [ID]`: explains what fails, where to look first, what changed since it passed, and earlier failures."""

from __future__ import annotations

import argparse

from handoff_tui.cli.exit_codes import ExitCode
from handoff_tui.cli.options import add_phase_option, add_reading_options, open_named_session
from handoff_tui.cli.output import write_result
from handoff_tui.cli.progress import following
from handoff_tui.history.failure.failure import read_failure
from handoff_tui.history.failure.page import build_failure_json, build_failure_page
from handoff_tui.log.open_log import open_log

EXAMPLES = """\
examples:
  handoff-tui failure                     everything that fails here, starting with the check to look at first
  handoff-tui failure H-3                 what fails at the gate of one handoff
  handoff-tui failure H-3 --check tests   one check
  handoff-tui failure H-3 --all           every failure in full
  handoff-tui failure --json | jq .first

Runs the checks like `handoff-tui check`: the repository's commands run only with your consent.

exit: 0 nothing blocks, 1 blocked
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("id", metavar="ID", nargs="?", help="the handoff (default: every check of the repository)")
    add_phase_option(parser)
    parser.add_argument("--check", metavar="CHECK", help="only this check")
    add_reading_options(parser)


def run(arguments: argparse.Namespace) -> ExitCode:
    session = open_named_session(arguments)
    log = open_log(session.repository)
    with following() as progress:
        report = read_failure(session, log, arguments.id, arguments.phase, only=arguments.check, telling=progress)
    write_result(arguments, build_failure_json, build_failure_page, report, everything=arguments.all)
    return ExitCode.BLOCKED if report.blocked else ExitCode.OK
