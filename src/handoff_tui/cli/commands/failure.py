"""`failure [ID]`: why it fails, what to look at first, what changed since it passed, who met it before."""

from __future__ import annotations

import argparse

from handoff_tui.cli.exit_codes import ExitCode
from handoff_tui.cli.options import add_phase_option, add_reading_options, find_start
from handoff_tui.cli.output import write_json, write_page
from handoff_tui.cli.progress import following
from handoff_tui.handoffs.session import load_terminal_theme, open_desk
from handoff_tui.history.failure.failure import read_failure
from handoff_tui.history.failure.json import build_failure_json
from handoff_tui.history.failure.page import build_failure_page
from handoff_tui.log.open_log import open_log

_EXAMPLES = """\
examples:
  handoff-tui failure                     everything that fails here, the check to look at first in front
  handoff-tui failure H-3                 at the gate of one handoff
  handoff-tui failure H-3 --check tests   one check
  handoff-tui failure H-3 --all           each of them whole
  handoff-tui failure --json | jq .first

Runs the checks as `handoff-tui check` does: commands of the repository only where you have trusted them.

exit: 0 nothing blocks, 1 blocked
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EXAMPLES
    parser.add_argument("id", metavar="ID", nargs="?", help="the handoff (default: all checks of the repository)")
    add_phase_option(parser)
    parser.add_argument("--check", metavar="CHECK", help="only this check")
    add_reading_options(parser)


def run(arguments: argparse.Namespace) -> ExitCode:
    desk = open_desk(find_start(arguments))
    log = open_log(desk.repository)
    with following() as telling:
        report = read_failure(desk, log, arguments.id, arguments.phase, only=arguments.check, telling=telling)
    if arguments.json:
        write_json(build_failure_json(report))
    else:
        write_page(build_failure_page(report, everything=arguments.all), load_terminal_theme())
    return ExitCode.BLOCKED if report.blocked else ExitCode.OK
