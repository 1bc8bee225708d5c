"""`rollback [--apply|--undo|--list]`: back to what was last approved; a dry run by default."""

from __future__ import annotations

import argparse

from handoff_tui.agents.rollback.page import (
    build_done_page,
    build_preview_json,
    build_preview_page,
    build_rollback_json,
    build_rollbacks_page,
)
from handoff_tui.agents.rollback.report import RollbackRecord
from handoff_tui.agents.rollback.rollback import apply_rollback, list_rollbacks, preview_rollback, undo_rollback
from handoff_tui.cli.diagnostics import write_note
from handoff_tui.cli.exit_codes import ExitCode
from handoff_tui.cli.options import add_reading_options, find_start
from handoff_tui.cli.output import write_json, write_page
from handoff_tui.handoffs.session import load_terminal_theme, open_desk

_EXAMPLES = """\
examples:
  handoff-tui rollback                       what would change; nothing is touched
  handoff-tui rollback --apply               saves everything under refs/handoff-tui/saved/, then does it
  handoff-tui rollback --undo                brings back what the last one took away
  handoff-tui rollback --list                all of them

It makes a new commit on top: history stays, and so do the decisions below .handoff-tui/.
exit: 0, 1 something is in the way
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EXAMPLES
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--apply", action="store_true", help="do it; everything is saved first")
    what.add_argument("--dry-run", action="store_true", help="only show it (the default)")
    what.add_argument("--undo", action="store_true", help="undo the last one")
    what.add_argument("--list", action="store_true", help="every rollback of this repository")
    parser.add_argument(
        "--with-uncommitted", action="store_true", help="also work that no agent's run accounts for; it is saved too"
    )
    add_reading_options(parser)


def run(arguments: argparse.Namespace) -> ExitCode:
    desk = open_desk(find_start(arguments))
    if arguments.apply:
        record = apply_rollback(desk, with_unexplained=arguments.with_uncommitted)
        write_note("`handoff-tui rollback --undo` brings everything back")
        return _print(record, as_json=arguments.json)
    if arguments.undo:
        return _print(undo_rollback(desk), as_json=arguments.json)
    if arguments.list:
        records = list_rollbacks(desk)
        if arguments.json:
            write_json(build_rollback_json(records))
        else:
            write_page(build_rollbacks_page(records), load_terminal_theme())
        return ExitCode.OK
    preview = preview_rollback(desk)
    if arguments.json:
        write_json(build_preview_json(preview))
    else:
        write_page(build_preview_page(preview, everything=arguments.all), load_terminal_theme())
    return ExitCode.OK


def _print(record: RollbackRecord, *, as_json: bool) -> ExitCode:
    if as_json:
        write_json(build_rollback_json((record,)))
    else:
        write_page(build_done_page(record), load_terminal_theme())
    return ExitCode.OK
