"""Reads the status when no earlier answer can be repeated; imports everything heavy."""

from __future__ import annotations

import argparse

from handoff_tui.checks.run.output_cache import OutputCache
from handoff_tui.checks.run.recheck import CheckAgain
from handoff_tui.cli.exit_codes import ExitCode
from handoff_tui.cli.output import render_result
from handoff_tui.cli.plain import write_plain
from handoff_tui.handoffs.session import open_session_to_look
from handoff_tui.status.refresh import refresh
from handoff_tui.status.status_page import build_status_json, build_status_page


def run_status(arguments: argparse.Namespace, recall: OutputCache) -> ExitCode:
    """Prints the status, and keeps it for the next call if nothing changes until then."""
    session = open_session_to_look(recall.look.repository.root, recall.look)
    options = {"everything": arguments.all, "past": getattr(arguments, "past", False)}
    text = render_result(arguments, build_status_json, build_status_page, refresh(session, CheckAgain()), **options)
    write_plain(text)
    session.loaded.refuse_judging()  # everything is listed, but wrong settings are still an error
    recall.keep(text, ExitCode.OK, outside=True)
    return ExitCode.OK
