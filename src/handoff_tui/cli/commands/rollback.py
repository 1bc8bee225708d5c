"""`rollback [--apply|--undo|--list]`: goes back to the last approved state; a dry run by default."""

from __future__ import annotations

import argparse

from handoff_tui.agents.rollback import report
from handoff_tui.agents.rollback.rollback import apply_rollback, list_rollbacks, preview_rollback, undo_rollback
from handoff_tui.cli.diagnostics import write_note
from handoff_tui.cli.exit_codes import ExitCode
from handoff_tui.cli.options import add_reading_options, open_named_session
from handoff_tui.cli.output import write_result

EXAMPLES = """\
examples:
  handoff-tui rollback                       show what would change, and touch nothing
  handoff-tui rollback --apply               save everything under refs/handoff-tui/saved/, then do it
  handoff-tui rollback --undo                bring back what the last rollback removed
  handoff-tui rollback --list                list the rollbacks

It adds a new commit: history stays, and so do the decisions below .handoff-tui/.

exit: 0 done, 1 something is in the way
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--apply", action="store_true", help="do it, after saving everything")
    what.add_argument("--dry-run", action="store_true", help="only show what would change (the default)")
    what.add_argument("--undo", action="store_true", help="undo the last rollback")
    what.add_argument("--list", action="store_true", help="list the rollbacks of this repository")
    parser.add_argument(
        "--with-uncommitted",
        action="store_true",
        help="also roll back uncommitted work that no agent's run made (saved first)",
    )
    add_reading_options(parser)


def run(arguments: argparse.Namespace) -> ExitCode:
    session = open_named_session(arguments)
    if arguments.apply:
        record = apply_rollback(session, with_unexplained=arguments.with_uncommitted)
        write_note("`handoff-tui rollback --undo` brings everything back.")
        return _print(arguments, record)
    if arguments.undo:
        return _print(arguments, undo_rollback(session))
    if arguments.list:
        records = list_rollbacks(session)
        write_result(arguments, report.build_rollback_json, report.build_rollbacks_page, records)
        return ExitCode.OK
    preview = preview_rollback(session)
    write_result(arguments, report.build_preview_json, report.build_preview_page, preview, everything=arguments.all)
    return ExitCode.OK


def _print(arguments: argparse.Namespace, record: report.Rollback) -> ExitCode:
    write_result(arguments, report.build_rollback_json, lambda records: report.build_done_page(*records), (record,))
    return ExitCode.OK
