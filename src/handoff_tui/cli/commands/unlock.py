"""`unlock [PHASE]`: shows the locks of phases, and breaks one on request."""

from __future__ import annotations

import argparse

from handoff_tui.agents.runs.unlock import list_phase_locks, unlock
from handoff_tui.agents.runs.unlock_page import build_locks_page, build_unlock_json
from handoff_tui.cli.exit_codes import ExitCode
from handoff_tui.cli.options import add_repository_option, find_start
from handoff_tui.cli.output import write_json, write_page, write_text
from handoff_tui.core.text.safe_text import render_safe
from handoff_tui.handoffs.session import load_terminal_theme, open_desk

_EXAMPLES = """\
examples:
  handoff-tui unlock --list                  who holds which phase, and since when
  handoff-tui unlock GREEN                   breaks a lock that was left behind
  handoff-tui unlock GREEN --force           breaks it under a living agent, which goes on

exit: 0, 1 the holder is at work
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EXAMPLES
    parser.add_argument("phase", metavar="PHASE", nargs="?", help="the phase (default: the only one that is locked)")
    parser.add_argument("--list", action="store_true", help="show the locks, and break none")
    parser.add_argument("--force", action="store_true", help="also when its holder is at work")
    parser.add_argument("--json", action="store_true", help="print one JSON object for scripts")
    add_repository_option(parser)


def run(arguments: argparse.Namespace) -> ExitCode:
    desk = open_desk(find_start(arguments))
    broken = None if arguments.list else unlock(desk, arguments.phase, force=arguments.force)
    locks = list_phase_locks(desk)
    if arguments.json:
        write_json(build_unlock_json(locks, broken))
    elif broken is None:
        write_page(build_locks_page(locks), load_terminal_theme())
    else:
        write_text(render_safe(f"{broken.lock.phase} is free; its lock was {broken.lock.owner}'s"))
    return ExitCode.OK
