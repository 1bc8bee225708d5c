"""`unlock [PHASE]`: lists the locks on phases, or breaks one."""

from __future__ import annotations

import argparse

from handoff_tui.agents.runs.phase_locks import list_locks, unlock
from handoff_tui.agents.runs.run import LockState
from handoff_tui.agents.step.page import build_locks_page, build_unlock_json
from handoff_tui.cli.exit_codes import ExitCode
from handoff_tui.cli.options import add_output_options, open_named_session
from handoff_tui.cli.output import write_json, write_page, write_text
from handoff_tui.core.text.safe_text import render_safe
from handoff_tui.handoffs.session import Session

EXAMPLES = """\
examples:
  handoff-tui unlock --list                  who holds which phase, and since when
  handoff-tui unlock GREEN                   break a lock that was left behind
  handoff-tui unlock GREEN --force           break it although its agent is running; the agent keeps running

exit: 0 done, 1 the holder is running
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("phase", metavar="PHASE", nargs="?", help="the phase (default: the only locked one)")
    parser.add_argument("--handoff", metavar="ID", help="the handoff, if the phase is locked for several")
    parser.add_argument("--list", action="store_true", help="list the locks without breaking one")
    parser.add_argument("--force", action="store_true", help="break it even if its holder is running")
    add_output_options(parser)


def _unlock(session: Session, arguments: argparse.Namespace) -> LockState:
    return unlock(session.repository.common_dir, arguments.phase, arguments.handoff, force=arguments.force)


def run(arguments: argparse.Namespace) -> ExitCode:
    session = open_named_session(arguments)
    broken = None if arguments.list else _unlock(session, arguments)
    locks = list_locks(session.repository.common_dir)
    if arguments.json:
        write_json(build_unlock_json(locks, broken))
    elif broken is None:
        write_page(build_locks_page(locks))
    else:
        write_text(render_safe(f"{broken.lock.phase} is unlocked. The lock belonged to {broken.lock.owner}."))
    return ExitCode.OK
