"""`registry`: brings the builder's registry in line with what people have signed; shows it first."""

from __future__ import annotations

import argparse

from handoff_tui.checks.run.recheck import CheckAgain
from handoff_tui.cli.exit_codes import ExitCode
from handoff_tui.cli.options import add_output_options, open_named_session
from handoff_tui.cli.output import PlanWords, write_plan
from handoff_tui.status.refresh import refresh
from handoff_tui.status.registry import apply_registry, describe_edit, plan_registry

EXAMPLES = """\
examples:
  handoff-tui registry            show the rows that are out of date after an approval
  handoff-tui registry --apply    write them; committing is up to you

exit: 0 shown or written, 2 there is nothing to write
"""
WORDS = PlanWords(
    verb="registry",
    rows="rows",
    nothing="The registry matches the signed log, or there is no registry",
    would="write",
    done="written",
    again="writes them",
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--apply", action="store_true", help="write the rows")
    add_output_options(parser)


def run(arguments: argparse.Namespace) -> ExitCode:
    session = open_named_session(arguments)
    edits = plan_registry(refresh(session, CheckAgain()))
    if arguments.apply:
        apply_registry(session, edits)
    write_plan(arguments, WORDS, edits, describe_edit)
    return ExitCode.OK
