"""`export report`: a report for an auditor, in one file that needs nothing else."""

from __future__ import annotations

import argparse
from pathlib import Path

from handoff_tui.cli.diagnostics import clear_progress, write_progress
from handoff_tui.cli.exit_codes import ExitCode
from handoff_tui.cli.options import add_repository_option, find_start
from handoff_tui.cli.output import write_json, write_text
from handoff_tui.cli.plain import write_plain
from handoff_tui.core.errors import UsageError
from handoff_tui.history.metrics.metrics import parse_window
from handoff_tui.history.replay.export import Audit, read_audit_at, write_report
from handoff_tui.history.replay.report_html import render_report_html
from handoff_tui.history.replay.report_markdown import render_report_markdown

SCHEMA = "handoff-tui/export-report/v1"
_EXAMPLES = """\
examples:
  handoff-tui export report                       Markdown on standard output
  handoff-tui export report --html report.html    one HTML file without scripts or anything from elsewhere
  handoff-tui export report --html r.html --markdown r.md --since 2026-01-01

A file that is there already is left alone. Exit: 0, or 3 when the log is not sound; the report then says so.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EXAMPLES
    parser.add_argument("what", choices=("report",), metavar="report", help="the report for an auditor")
    parser.add_argument("--html", type=Path, metavar="FILE", help="write it as HTML")
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="write it as Markdown")
    parser.add_argument("--since", metavar="DAY", help="count the figures from this day on (UTC)")
    parser.add_argument("--until", metavar="DAY", help="count the figures up to and with this day (UTC)")
    parser.add_argument("--json", action="store_true", help="tell as one JSON object what was written")
    add_repository_option(parser)


def run(arguments: argparse.Namespace) -> ExitCode:
    asked = [place for place in (arguments.html, arguments.markdown) if place is not None]
    if arguments.json and not asked:
        raise UsageError("--json tells which files were written, and none was asked for", "Name one with --html FILE.")
    if len(asked) > len(set(asked)):
        raise UsageError("both forms cannot have the same file", "Name two.")
    try:
        audit = read_audit_at(find_start(arguments), parse_window(arguments.since, arguments.until), _tell)
    finally:
        clear_progress()
    if asked:
        _write_files(arguments, audit)
    else:
        write_plain(render_report_markdown(*audit))
    return ExitCode.INTEGRITY if audit.replay.fatal else ExitCode.OK


def _write_files(arguments: argparse.Namespace, audit: Audit) -> None:
    written: dict[str, int] = {}
    if arguments.html is not None:
        written[str(arguments.html)] = write_report(arguments.html, render_report_html(*audit))
    if arguments.markdown is not None:
        written[str(arguments.markdown)] = write_report(arguments.markdown, render_report_markdown(*audit))
    if arguments.json:
        write_json({"schema": SCHEMA, "files": [{"file": name, "bytes": size} for name, size in written.items()]})
        return
    for name, size in written.items():
        write_text(f"{name}: {size:,} bytes")


def _tell(done: int, total: int) -> None:
    write_progress(f"{done}/{total} approvals judged again")
