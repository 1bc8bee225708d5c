"""`bisect CHECK`: finds the commit that broke a check, its author and its diff."""

from __future__ import annotations

import argparse

from handoff_tui.cli.diagnostics import write_progress
from handoff_tui.cli.exit_codes import ExitCode
from handoff_tui.cli.options import add_reading_options, open_named_session
from handoff_tui.cli.output import write_result
from handoff_tui.cli.progress import stopping
from handoff_tui.history.bisect.bisect import BisectControl, BisectRequest, bisect
from handoff_tui.history.bisect.page import build_bisect_json, build_bisect_page, build_bisect_progress
from handoff_tui.history.bisect.report import BisectEnd, BisectProgress

EXAMPLES = """\
examples:
  handoff-tui bisect hashes-hold                       the commit that broke it, its author and its diff
  handoff-tui bisect claims-hold --handoff FMWK-002    only what it says about one handoff
  handoff-tui bisect unit-tests --good v1.0            a command, run in a separate work tree

Rules run on the trees in git with the current settings; nothing is checked out. Without --good, it searches for a
commit where the check passes. A command can exit with 125 if it can't tell, as for `git bisect run`.

exit: 0 found, 1 not found (the answer says why), 130 stopped
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("check", metavar="CHECK", help="the id of a check; `handoff-tui check --list` lists them")
    parser.add_argument("--handoff", metavar="ID", help="only what the check says about this handoff")
    parser.add_argument("--good", metavar="REV", help="a commit where it passes (default: search for one)")
    parser.add_argument("--bad", metavar="REV", help="a commit where it fails (default: HEAD)")
    parser.add_argument("--finding", metavar="FINGERPRINT", help="only this finding, by its fingerprint in --json")
    add_reading_options(parser)


def run(arguments: argparse.Namespace) -> ExitCode:
    session = open_named_session(arguments)
    request = BisectRequest(
        check=arguments.check,
        handoff=arguments.handoff,
        good=arguments.good,
        bad=arguments.bad,
        finding=arguments.finding,
    )
    control = BisectControl(on_progress=_tell)
    with stopping(control.cancel):
        report = bisect(session, request, control)
    write_result(arguments, build_bisect_json, build_bisect_page, report, everything=arguments.all)
    if report.end is BisectEnd.CANCELLED:
        return ExitCode.INTERRUPTED
    return ExitCode.OK if report.end is BisectEnd.FOUND else ExitCode.BLOCKED


def _tell(progress: BisectProgress) -> None:
    write_progress(build_bisect_progress(progress))
