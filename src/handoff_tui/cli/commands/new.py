"""`new [SYSTEM] ID --title …`: begins a handoff from a template that says what to leave behind."""

from __future__ import annotations

import argparse

from handoff_tui.cli.exit_codes import ExitCode
from handoff_tui.cli.options import add_output_options, open_named_session
from handoff_tui.cli.output import write_result
from handoff_tui.core.text.page import Cell, Page
from handoff_tui.core.text.safe_text import render_safe
from handoff_tui.handoffs.begin import Begun, begin_handoff, choose_system
from handoff_tui.handoffs.read_handoffs import read_repository

EXAMPLES = """\
examples:
  handoff-tui new builder H-6 --title "Rate limiter"    a specification and the agent's prompt
  handoff-tui new tdd TDD-3 --title "Parse dates"       a note that begins the cycle
  handoff-tui new T-7 --title "Login"                   in the format that is used here
  handoff-tui new release REL-1 --title "Version 2"     in a pipeline from your configuration

It writes files and overwrites none. Fill them in and commit them, then: handoff-tui step --handoff ID

exit: 0 begun, 2 wrong usage, or it exists already
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("system", metavar="SYSTEM", nargs="?", help="mosaic, builder, procedure, tdd, hub, notes, …")
    parser.add_argument("id", metavar="ID", help="the id of the handoff, such as H-6 or TDD-3")
    parser.add_argument("--title", metavar="TEXT", help="what it is about (default: the id)")
    add_output_options(parser)


def run(arguments: argparse.Namespace) -> ExitCode:
    session = open_named_session(arguments)
    handoffs = read_repository(session).result.handoffs
    system = choose_system(session, handoffs, arguments.system)
    begun = begin_handoff(session, system, arguments.id, arguments.title or "", handoffs)
    write_result(arguments, _build_json, _build_page, begun)
    return ExitCode.OK


def _build_json(begun: Begun) -> dict[str, object]:
    return {"schema": "handoff-tui/new/v1", **begun._asdict(), "files": list(begun.files)}


def _build_page(begun: Begun) -> Page:
    page = Page()
    page.line(
        Cell("✓ begun  ", "pass"), Cell(render_safe(begun.handoff), "heading"), Cell(f"  {begun.system}", "muted")
    )
    for path in begun.files:
        page.line(Cell("  "), Cell(render_safe(path)))
    if begun.note is not None:
        page.line(Cell("  "), Cell(f"a note on {begun.note[:10]}"))
    page.line(Cell(f"Fill it in and commit it, then: handoff-tui step --handoff {begun.handoff}", "muted"))
    return page
