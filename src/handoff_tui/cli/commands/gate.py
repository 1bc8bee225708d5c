"""`gate ID`: shows where a gate stands and why, and the digest that a decision binds."""

from __future__ import annotations

import argparse

from handoff_tui.cli.exit_codes import ExitCode
from handoff_tui.cli.options import (
    add_handoff_argument,
    add_phase_option,
    add_pin_option,
    add_reading_options,
    open_named_desk,
    use_pin,
)
from handoff_tui.cli.output import write_result
from handoff_tui.cli.progress import following
from handoff_tui.decisions.examine import ExamineOptions, build_gate_view, examine
from handoff_tui.decisions.pages.gate import build_gate_json, build_gate_page
from handoff_tui.log.gates.gate_state import GateName
from handoff_tui.log.open_log import open_log

EXAMPLES = """\
examples:
  handoff-tui gate H-3                       its state, the reasons, and the decisions so far
  handoff-tui gate H-3 --phase release && deploy
  handoff-tui gate H-3 --json | jq -r .subject.digest

exit: 0 approved, overridden or skipped, 1 otherwise, 3 the log is not intact, or nothing vouches for it
"""
_OPEN = frozenset({GateName.APPROVED, GateName.OVERRIDDEN, GateName.SKIPPED})


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_handoff_argument(parser)
    add_phase_option(parser)
    parser.add_argument("--fresh", action="store_true", help="ignore cached check results")
    add_pin_option(parser)
    add_reading_options(parser)


def run(arguments: argparse.Namespace) -> ExitCode:
    use_pin(arguments)
    desk = open_named_desk(arguments)
    with following() as progress:
        options = ExamineOptions(fresh=arguments.fresh)
        examined = examine(desk, open_log(desk.repository), arguments.id, arguments.phase, options, progress)
    view = build_gate_view(examined)
    write_result(arguments, build_gate_json, build_gate_page, view)
    if examined.index.verdict.fatal:
        return ExitCode.INTEGRITY
    if examined.gate.state not in _OPEN:
        return ExitCode.BLOCKED
    return ExitCode.OK if examined.index.verdict.anchored else ExitCode.INTEGRITY
