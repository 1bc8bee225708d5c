"""`export report`: writes a self-contained report for an auditor."""

from __future__ import annotations

import argparse
from pathlib import Path

from handoff_tui.cli.diagnostics import counting
from handoff_tui.cli.exit_codes import ExitCode
from handoff_tui.cli.options import add_repository_option, find_start
from handoff_tui.cli.output import write_json, write_text
from handoff_tui.cli.plain import write_plain
from handoff_tui.core.errors import UsageError
from handoff_tui.history.metrics.metrics import parse_window
from handoff_tui.history.replay.audit import (
    Audit,
    read_audit_at,
    render_report_html,
    render_report_markdown,
    write_report,
)

SCHEMA = "handoff-tui/export-report/v1"
EXAMPLES = """\
examples:
  handoff-tui export report                       Markdown on standard output
  handoff-tui export report --html report.html    one HTML file, without scripts or external content
  handoff-tui export report --html r.html --markdown r.md --since 2026-01-01

Existing files are left alone.

exit: 0, or 3 if the log is not intact; the report says so
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("what", choices=("report",), metavar="report", help="the report for an auditor")
    parser.add_argument("--html", type=Path, metavar="FILE", help="write it as HTML")
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="write it as Markdown")
    parser.add_argument("--since", metavar="DAY", help="the first day that the metrics count (UTC)")
    parser.add_argument("--until", metavar="DAY", help="the last day that the metrics count (UTC)")
    parser.add_argument("--json", action="store_true", help="print the written files as one JSON object")
    add_repository_option(parser)


def run(arguments: argparse.Namespace) -> ExitCode:
    asked = [place for place in (arguments.html, arguments.markdown) if place is not None]
    if arguments.json and not asked:
        raise UsageError("--json lists the written files, and none was asked for", "Name one with --html FILE.")
    if len(asked) > len(set(asked)):
        raise UsageError("both formats can't go to the same file", "Name two files.")
    with counting("approvals replayed") as tell:
        audit = read_audit_at(find_start(arguments), parse_window(arguments.since, arguments.until), tell)
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
