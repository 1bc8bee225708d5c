"""`submit ID`: an agent hands over."""

from __future__ import annotations

import argparse
from pathlib import Path

from handoff_tui.cli.exit_codes import ExitCode
from handoff_tui.cli.options import add_handoff_argument, add_phase_option, add_repository_option, find_start
from handoff_tui.cli.output import write_json, write_page
from handoff_tui.cli.progress import following
from handoff_tui.decisions.gate_view import build_gate_view
from handoff_tui.decisions.pages.submit import build_submit_json, build_submit_page
from handoff_tui.decisions.submit import submit
from handoff_tui.handoffs.session import load_terminal_theme, open_desk
from handoff_tui.log.open_log import open_log

_EXAMPLES = """\
examples:
  handoff-tui submit H-3                     run the checks of the gate; say what a reviewer will decide on
  handoff-tui submit H-3 --sign              and record it, signed with the key of your git configuration
  handoff-tui submit H-3 --key agent_key     the same with this key

exit: 0 handed over, 1 blocking checks do not pass (it is handed over all the same), 3 the log is not sound,
4 cannot sign
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EXAMPLES
    add_handoff_argument(parser)
    add_phase_option(parser)
    parser.add_argument("--sign", action="store_true", help="add a signed submission to the log")
    parser.add_argument("--key", type=Path, metavar="FILE", help="sign with this key")
    parser.add_argument("--json", action="store_true", help="print one JSON object for scripts")
    add_repository_option(parser)


def run(arguments: argparse.Namespace) -> ExitCode:
    desk = open_desk(find_start(arguments))
    with following() as telling:
        done = submit(
            desk,
            open_log(desk.repository),
            arguments.id,
            arguments.phase,
            signed=arguments.sign or arguments.key is not None,
            key_file=arguments.key,
            telling=telling,
        )
    view = build_gate_view(done.examined)
    if arguments.json:
        write_json(build_submit_json(view, done.entry))
    else:
        write_page(build_submit_page(view, done.entry), load_terminal_theme())
    if done.examined.index.verdict.fatal:
        return ExitCode.INTEGRITY
    return ExitCode.BLOCKED if view.failing else ExitCode.OK
