"""`worker`: the process that executes procedures."""

from __future__ import annotations

import argparse
from pathlib import Path

from handoff_tui.cli.diagnostics import report_bug, write_error, write_note
from handoff_tui.cli.exit_codes import ExitCode, find_exit_code
from handoff_tui.cli.options import add_repository_option, find_start
from handoff_tui.core.errors import HandoffError

EXAMPLES = """\
examples:
  handoff-tui worker                 work on this repository's procedures until it is stopped
  handoff-tui worker --on-demand     the same, until nothing is left to do; `run` starts one when needed

You can kill it at any time: the next worker goes on where it stopped. A repository has one worker, which keeps its
state in the git folder. With engine.address in your configuration there can be many, on many machines.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--on-demand", action="store_true", help="exit once there has been nothing to do for a while")
    parser.add_argument("--trial", type=Path, metavar="FOLDER", help=argparse.SUPPRESS)
    add_repository_option(parser)


def run(arguments: argparse.Namespace) -> ExitCode:
    from handoff_tui.agents.engine.worker import WorkerCallbacks, run_trial_worker, run_worker  # noqa: PLC0415 - an extra

    callbacks = WorkerCallbacks(lambda executor: write_note(f"worker {executor} is ready"), _tell)
    if arguments.trial is not None:
        run_trial_worker(arguments.trial, callbacks)
    run_worker(find_start(arguments), callbacks, on_demand=arguments.on_demand)


def _tell(fault: BaseException) -> int:
    if isinstance(fault, HandoffError):
        write_error(fault)
        return find_exit_code(fault)
    report_bug(fault, ["worker"])
    return ExitCode.BUG
