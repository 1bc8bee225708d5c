"""`worker`: the process that procedures run in."""

from __future__ import annotations

import argparse
from pathlib import Path

from handoff_tui.cli.diagnostics import write_bug, write_error, write_note
from handoff_tui.cli.exit_codes import ExitCode, find_exit_code
from handoff_tui.cli.options import add_repository_option, find_start
from handoff_tui.core.errors import HandoffError

_EXAMPLES = """\
examples:
  handoff-tui worker                 work on this repository's procedures until it is ended
  handoff-tui worker --on-demand     the same, until nothing is left to do; `run` starts one by itself

It may be killed at any point: whoever starts the next one goes on where it was. Beside the file in the repository's
own git folder there is one worker; with engine.address in your configuration there may be many, on many machines.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EXAMPLES
    parser.add_argument("--on-demand", action="store_true", help="end when nothing has been left to do for a while")
    parser.add_argument("--trial", type=Path, metavar="FOLDER", help=argparse.SUPPRESS)
    add_repository_option(parser)


def run(arguments: argparse.Namespace) -> ExitCode:
    from handoff_tui.agents.engine.run_worker import Telling, work, work_on_trial  # noqa: PLC0415 - the engine is an extra

    telling = Telling(lambda executor: write_note(f"worker {executor} is ready"), _tell)
    if arguments.trial is not None:
        work_on_trial(arguments.trial, telling)
    work(find_start(arguments), telling, on_demand=arguments.on_demand)


def _tell(fault: BaseException) -> int:
    if isinstance(fault, HandoffError):
        write_error(fault)
        return find_exit_code(fault)
    from handoff_tui.cli.report_bug import report_bug  # noqa: PLC0415

    write_bug(fault, report_bug(fault, ["worker"]))
    return ExitCode.BUG
