"""`migrate`: moves the flat files of each builder handoff into a folder of its own; shows them first."""

from __future__ import annotations

import argparse

from handoff_tui.cli.exit_codes import ExitCode
from handoff_tui.cli.options import add_output_options, open_named_session
from handoff_tui.cli.output import PlanWords, write_plan
from handoff_tui.handoffs.migrate import Move, apply_migration, plan_migration
from handoff_tui.handoffs.read_handoffs import read_repository

EXAMPLES = """\
examples:
  handoff-tui migrate            show which files would be moved where
  handoff-tui migrate --apply    move them; committing is up to you

exit: 0 shown or moved, 2 there is nothing to move
"""
WORDS = PlanWords(
    verb="migrate",
    rows="moves",
    nothing="Every builder handoff has its folder already",
    would="move",
    done="moved",
    again="moves them",
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--apply", action="store_true", help="move the files")
    add_output_options(parser)


def run(arguments: argparse.Namespace) -> ExitCode:
    session = open_named_session(arguments)
    moves = plan_migration(session, read_repository(session).result.handoffs)
    if arguments.apply:
        apply_migration(session, moves)
    write_plan(arguments, WORDS, moves, _describe)
    return ExitCode.OK


def _describe(move: Move) -> tuple[str, bool]:
    return (f"{move.source} stays: {move.problem}", False) if move.problem else (f"{move.source} → {move.target}", True)
