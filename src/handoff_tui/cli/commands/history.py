"""`history [ID]`: the attempts at a phase side by side."""

from __future__ import annotations

import argparse

from handoff_tui.cli.exit_codes import ExitCode
from handoff_tui.cli.options import add_phase_option, add_reading_options, find_start
from handoff_tui.cli.output import write_json, write_page
from handoff_tui.cli.progress import following
from handoff_tui.core.errors import HandoffNotFoundError
from handoff_tui.decisions.examine import Examined, look_at_gate
from handoff_tui.handoffs.session import Desk, load_terminal_theme, open_desk
from handoff_tui.history.attempts.attempts import MOST_MEASURED, list_histories, read_history
from handoff_tui.history.attempts.json import build_history_json, build_history_list_json
from handoff_tui.history.attempts.page import build_history_list_page, build_history_page
from handoff_tui.log.open_log import OpenLog, open_log

_EXAMPLES = f"""\
examples:
  handoff-tui history                     every phase that somebody tried, the newest first
  handoff-tui history H-3                 its attempts: who, how long, what flipped, what was asked for
  handoff-tui history H-3 --all           all of them whole; otherwise the newest {MOST_MEASURED} are measured
  handoff-tui history H-3 --recorded      without a look at what is here now
  handoff-tui history H-3 --json | jq '.attempts[] | .asked[] | select(.addressed == false)'

No command of the repository is started. `handoff-tui compare H-3:1 2` compares two attempts.

exit: 0, or 3 when the log is not sound
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EXAMPLES
    parser.add_argument("id", metavar="ID", nargs="?", help="the handoff (default: a list of all)")
    add_phase_option(parser)
    parser.add_argument("--recorded", action="store_true", help="only what is recorded; the checks are not asked")
    add_reading_options(parser)


def run(arguments: argparse.Namespace) -> ExitCode:
    desk = open_desk(find_start(arguments))
    log = open_log(desk.repository)
    if arguments.id is None:
        listed = list_histories(desk, log)
        if arguments.json:
            write_json(build_history_list_json(listed))
        else:
            write_page(build_history_list_page(listed, everything=arguments.all), load_terminal_theme())
        return ExitCode.INTEGRITY if listed.fatal else ExitCode.OK
    now = None if arguments.recorded else _look(desk, log, arguments)
    measured = None if arguments.all else MOST_MEASURED
    history = read_history(desk, log, arguments.id, arguments.phase, measured=measured, now=now)
    if arguments.json:
        write_json(build_history_json(history))
    else:
        write_page(build_history_page(history, everything=arguments.all), load_terminal_theme())
    return ExitCode.INTEGRITY if history.fatal else ExitCode.OK


def _look(desk: Desk, log: OpenLog, arguments: argparse.Namespace) -> Examined | None:
    """The gate as it is now; nothing where there is no commit yet, or only the log knows the handoff."""
    if desk.work_tree.facts.head is None:
        return None
    try:
        with following() as telling:
            return look_at_gate(desk, log, arguments.id, arguments.phase, telling=telling)
    except HandoffNotFoundError:
        return None
