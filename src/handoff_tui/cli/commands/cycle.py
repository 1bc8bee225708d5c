"""`cycle accept|complete|fail ID`: moves the work cycle of a hub task on, as its rules allow."""

from __future__ import annotations

import argparse

from handoff_tui.cli.exit_codes import ExitCode
from handoff_tui.cli.options import add_output_options, open_named_session
from handoff_tui.cli.output import write_result
from handoff_tui.core.text.page import Cell, Page
from handoff_tui.core.text.safe_text import render_safe
from handoff_tui.decisions.examine import find_handoff
from handoff_tui.handoffs.read_handoffs import read_repository
from handoff_tui.handoffs.work_cycles import CycleAction, CycleReport, MovedCycle, move_cycle

EXAMPLES = """\
examples:
  handoff-tui new hub T-7 --title "Login"                         create it
  handoff-tui cycle accept T-7                                    only while it is pending
  handoff-tui cycle complete T-7 --report pass --summary "Done."  only while it is in progress
  handoff-tui cycle fail T-7 --summary "The API is gone."         at any time

Completed doesn't mean passed; --report pass says so. Agents may call it; it decides nothing.

exit: 0 moved on, 2 its state does not allow it
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("action", choices=[action.value for action in CycleAction], help="what to do with it")
    parser.add_argument("id", metavar="ID", help="the task, as listed by `handoff-tui status`")
    parser.add_argument("--report", metavar="STATUS", help="what the report says: pass or fail")
    parser.add_argument("--summary", metavar="TEXT", help="what was done, in a sentence")
    add_output_options(parser)


def run(arguments: argparse.Namespace) -> ExitCode:
    session = open_named_session(arguments)
    handoff = find_handoff(read_repository(session).result.handoffs, arguments.id)
    report = CycleReport(arguments.report, arguments.summary)
    write_result(
        arguments, _build_json, _build_page, move_cycle(session, handoff, CycleAction(arguments.action), report)
    )
    return ExitCode.OK


def _build_json(moved: MovedCycle) -> dict[str, object]:
    return {"schema": "handoff-tui/cycle/v1", **moved._asdict()}


def _build_page(moved: MovedCycle) -> Page:
    page = Page()
    reported = f", report {moved.report_status}" if moved.report_status else ""
    page.line(Cell(render_safe(moved.handoff), "heading"), Cell(f"  {moved.before} → {moved.status}{reported}"))
    page.line(Cell(f"  {render_safe(moved.path)}", "muted"))
    return page
