"""`gate ID`: shows where a gate stands and why, and the digest that a decision binds."""

from __future__ import annotations

import argparse

from handoff_tui.cli.exit_codes import ExitCode
from handoff_tui.cli.options import (
    add_handoff_argument,
    add_phase_option,
    add_pin_option,
    add_reading_options,
    use_pin,
)
from handoff_tui.cli.remembered import open_cache, repeat

EXAMPLES = """\
examples:
  handoff-tui gate H-3                       its state, the reasons, and the decisions so far
  handoff-tui gate H-3 --phase release && deploy
  handoff-tui gate H-3 --json | jq -r .subject.digest

exit: 0 approved, overridden or skipped, 1 otherwise, 3 the log is not intact, or nothing vouches for it
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_handoff_argument(parser)
    add_phase_option(parser)
    parser.add_argument("--fresh", action="store_true", help="ignore cached check results")
    add_pin_option(parser)
    add_reading_options(parser)


def run(arguments: argparse.Namespace) -> ExitCode:
    use_pin(arguments)
    recall = open_cache(arguments)
    known = None if arguments.fresh else repeat(recall, "--fresh looks again.")
    if known is not None:
        return known
    from handoff_tui.cli.fresh.gate import run_gate  # noqa: PLC0415 - only a real look needs it

    return run_gate(arguments, recall)
