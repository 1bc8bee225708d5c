"""`migrate`: moves flat files of builder handoffs into a folder each; shows it first."""

from __future__ import annotations

import argparse

from handoff_tui.cli.exit_codes import ExitCode
from handoff_tui.cli.options import add_output_options, open_named_session
from handoff_tui.cli.output import write_result
from handoff_tui.core.text.page import Cell, Page
from handoff_tui.core.text.safe_text import render_safe
from handoff_tui.handoffs.begin.migrate import Move, apply_migration, plan_migration
from handoff_tui.handoffs.read_handoffs import read_repository

EXAMPLES = """\
examples:
  handoff-tui migrate            show which files would be moved where
  handoff-tui migrate --apply    move them; committing is up to you

exit: 0 shown or moved, 2 there is nothing to move
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--apply", action="store_true", help="move the files")
    add_output_options(parser)


def run(arguments: argparse.Namespace) -> ExitCode:
    session = open_named_session(arguments)
    moves = plan_migration(session, read_repository(session).result.handoffs)
    if arguments.apply:
        apply_migration(session, moves)
    write_result(
        arguments,
        lambda found: _build_json(found, applied=arguments.apply),
        lambda found: _build_page(found, applied=arguments.apply),
        moves,
    )
    return ExitCode.OK


def _build_json(moves: tuple[Move, ...], *, applied: bool) -> dict[str, object]:
    return {"schema": "handoff-tui/migrate/v1", "applied": applied, "moves": [move._asdict() for move in moves]}


def _build_page(moves: tuple[Move, ...], *, applied: bool) -> Page:
    page = Page()
    if not moves:
        page.line(Cell("Every builder handoff has its folder already", "muted"))
    for move in moves:
        source, target = render_safe(move.source), render_safe(move.target)
        if move.problem:
            page.line(Cell("! ", "warning"), Cell(f"{source} stays: {move.problem}", "warning"), indent=2)
        else:
            page.line(Cell("✓ moved  " if applied else "· would move  "), Cell(f"{source} → {target}"), indent=4)
    if moves and not applied:
        page.line(Cell("handoff-tui migrate --apply moves them", "muted"))
    return page
