"""Reads the coverage when no earlier answer can be repeated; imports everything heavy."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from handoff_tui.checks.run.output_cache import OutputCache
from handoff_tui.checks.run.recheck import CheckAgain
from handoff_tui.cli.exit_codes import ExitCode
from handoff_tui.cli.output import render_result
from handoff_tui.cli.plain import write_plain
from handoff_tui.core.errors import UsageError
from handoff_tui.handoffs.session import Session, open_session
from handoff_tui.status import coverage_page as page
from handoff_tui.status.coverage import CoverageReport, FileCoverageReport, read_coverage, read_file_coverage


def run_coverage(arguments: argparse.Namespace, recall: OutputCache) -> ExitCode:
    """Prints the coverage, and keeps it for the next call if nothing changes until then."""
    if arguments.file is not None and arguments.since is not None:
        raise UsageError("--since is about all files", "Leave out FILE or --since.")
    session = open_session(recall.look.repository.root, recall.look)
    text, code = _render_all(session, arguments) if arguments.file is None else _render_file(session, arguments)
    write_plain(text)
    recall.keep(text, code, outside=True)
    return code


def _render_all(session: Session, arguments: argparse.Namespace) -> tuple[str, ExitCode]:
    report = read_coverage(session, CheckAgain(), arguments.since)
    text = render_result(
        arguments, page.build_coverage_json, page.build_coverage_page, report, everything=arguments.all
    )
    return text, _find_code(report, complete=report.coverage.complete)


def _render_file(session: Session, arguments: argparse.Namespace) -> tuple[str, ExitCode]:
    report = read_file_coverage(session, CheckAgain(), _find_path(arguments.file, session.repository.root))
    text = render_result(arguments, page.build_file_coverage_json, page.build_file_coverage_page, report)
    return text, _find_code(report, complete=report.complete)


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
