"""`history [ID]`: shows the attempts at a phase side by side."""

from __future__ import annotations

import argparse

from handoff_tui.cli.exit_codes import ExitCode
from handoff_tui.cli.options import add_phase_option, add_reading_options, open_named_session
from handoff_tui.cli.output import write_result
from handoff_tui.cli.progress import following
from handoff_tui.core.errors import HandoffNotFoundError
from handoff_tui.decisions.examine import WITHOUT_COMMANDS, ExaminedGate, examine
from handoff_tui.handoffs.session import Session
from handoff_tui.history.attempts import page
from handoff_tui.history.attempts.attempts import MOST_MEASURED, list_histories, read_history
from handoff_tui.log.open_log import OpenLog, open_log

EXAMPLES = f"""\
examples:
  handoff-tui history                     every phase that was attempted, newest first
  handoff-tui history H-3                 its attempts: who, how long, what changed, what was asked for
  handoff-tui history H-3 --all           all of them in full; by default only the newest {MOST_MEASURED} are measured
  handoff-tui history H-3 --recorded      only what the log has
  handoff-tui history H-3 --json | jq '.attempts[] | .asked[] | select(.addressed == false)'

Runs none of the repository's commands. `handoff-tui compare H-3:1 2` compares two attempts.

exit: 0, or 3 if the log is not intact
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("id", metavar="ID", nargs="?", help="the handoff (default: list all)")
    add_phase_option(parser)
    parser.add_argument("--recorded", action="store_true", help="show only what the log has; don't run the checks")
    add_reading_options(parser)


def run(arguments: argparse.Namespace) -> ExitCode:
    session = open_named_session(arguments)
    log = open_log(session.repository)
    if arguments.id is None:
        listed = list_histories(session, log)
        write_result(
            arguments, page.build_history_list_json, page.build_history_list_page, listed, everything=arguments.all
        )
        return ExitCode.INTEGRITY if listed.fatal else ExitCode.OK
    now = None if arguments.recorded else _look(session, log, arguments)
    measured = None if arguments.all else MOST_MEASURED
    history = read_history(session, log, arguments.id, arguments.phase, measured=measured, now=now)
    write_result(arguments, page.build_history_json, page.build_history_page, history, everything=arguments.all)
    return ExitCode.INTEGRITY if history.fatal else ExitCode.OK


def _look(session: Session, log: OpenLog, arguments: argparse.Namespace) -> ExaminedGate | None:
    """Returns the gate as it is now; None without a commit, or if only the log knows the handoff."""
    if session.work_tree.facts.head is None:
        return None
    try:
        with following() as progress:
            return examine(session, log, arguments.id, arguments.phase, telling=progress, options=WITHOUT_COMMANDS)
    except HandoffNotFoundError:
        return None
