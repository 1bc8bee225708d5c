"""`coverage`: shows which changed files somebody approved, and with FILE, who approved which lines."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from handoff_tui.checks.run.recheck import CheckAgain
from handoff_tui.cli.exit_codes import ExitCode
from handoff_tui.cli.options import add_pin_option, add_reading_options, open_named_session, use_pin
from handoff_tui.cli.output import write_result
from handoff_tui.core.errors import UsageError
from handoff_tui.status import coverage_page as page
from handoff_tui.status.coverage import CoverageReport, FileCoverageReport, read_coverage, read_file_coverage

EXAMPLES = """\
examples:
  handoff-tui coverage                       every file changed since the start line, by who approved it
  handoff-tui coverage --since origin/main   what this branch adds: for CI, before a merge
  handoff-tui coverage src/app.py            blame for approvals: who approved which lines
  handoff-tui coverage --json | jq -r '.files[] | select(.state == "unclaimed") | .path'

exit: 0 everything is approved or overridden, 1 not, 3 the log is not intact, or nothing vouches for it
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", nargs="?", help="show the lines of this file")
    parser.add_argument("--since", metavar="REF", help="count changes after this commit (default: the start line)")
    add_pin_option(parser)
    add_reading_options(parser)


def run(arguments: argparse.Namespace) -> ExitCode:
    if arguments.file is not None and arguments.since is not None:
        raise UsageError("--since is about all files", "Leave out FILE or --since.")
    use_pin(arguments)
    session = open_named_session(arguments)
    if arguments.file is not None:
        lines = read_file_coverage(session, CheckAgain(), _find_path(arguments.file, session.repository.root))
        write_result(arguments, page.build_file_coverage_json, page.build_file_coverage_page, lines)
        return _find_code(lines, complete=lines.complete)
    report = read_coverage(session, CheckAgain(), arguments.since)
    write_result(arguments, page.build_coverage_json, page.build_coverage_page, report, everything=arguments.all)
    return _find_code(report, complete=report.coverage.complete)


def _find_path(written: str, root: Path) -> str:
    """A path as seen from the root of the repository: from the current folder if that is inside, else from the root."""
    here = Path.cwd()
    place = Path(os.path.normpath((here if here.is_relative_to(root) else root) / written))
    if not place.is_relative_to(root) or place == root:
        raise UsageError(f"{written} is not in this repository", "Name a file below its root.")
    return place.relative_to(root).as_posix()


def _find_code(report: CoverageReport | FileCoverageReport, *, complete: bool) -> ExitCode:
    if report.fatal or (complete and not report.anchored):
        return ExitCode.INTEGRITY
    return ExitCode.OK if complete else ExitCode.BLOCKED
