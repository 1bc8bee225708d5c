"""`bisect CHECK`: the commit where a check began to fail, the diff that did it, and its author."""

from __future__ import annotations

import argparse

from handoff_tui.cli.diagnostics import write_progress
from handoff_tui.cli.exit_codes import ExitCode
from handoff_tui.cli.options import add_reading_options, find_start
from handoff_tui.cli.output import write_json, write_page
from handoff_tui.cli.progress import stopping
from handoff_tui.handoffs.session import load_terminal_theme, open_desk
from handoff_tui.history.bisect.bisect import BisectRequest, BisectTelling, bisect
from handoff_tui.history.bisect.page import build_bisect_json, build_bisect_page, build_bisect_progress
from handoff_tui.history.bisect.report import BisectEnd, BisectProgress

_EXAMPLES = """\
examples:
  handoff-tui bisect hashes-hold                       since when it fails, by whom, with which diff
  handoff-tui bisect claims-hold --handoff FMWK-002    only what it says of one handoff
  handoff-tui bisect unit-tests --good v1.0            a command, in a work tree of its own

Rules are run on the trees in git, with the settings of now; nothing is checked out. Without --good a commit where
the check passes is looked for. A command may exit with 125 where it cannot tell, as for `git bisect run`.

exit: 0 the commit was found, 1 it was not (the answer says why), 130 stopped
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EXAMPLES
    parser.add_argument("check", metavar="CHECK", help="the id of a check; `handoff-tui check --list` lists them")
    parser.add_argument("--handoff", metavar="ID", help="only what the check says of this handoff")
    parser.add_argument("--good", metavar="REV", help="a commit where it passes (default: one is looked for)")
    parser.add_argument("--bad", metavar="REV", help="a commit where it fails (default: HEAD)")
    parser.add_argument("--finding", metavar="FINGERPRINT", help="only this finding, by its fingerprint in --json")
    add_reading_options(parser)


def run(arguments: argparse.Namespace) -> ExitCode:
    desk = open_desk(find_start(arguments))
    request = BisectRequest(
        check=arguments.check,
        handoff=arguments.handoff,
        good=arguments.good,
        bad=arguments.bad,
        finding=arguments.finding,
    )
    telling = BisectTelling(on_progress=_tell)
    with stopping(telling.cancel):
        report = bisect(desk, request, telling)
    if arguments.json:
        write_json(build_bisect_json(report))
    else:
        write_page(build_bisect_page(report, everything=arguments.all), load_terminal_theme())
    if report.end is BisectEnd.CANCELLED:
        return ExitCode.INTERRUPTED
    return ExitCode.OK if report.end is BisectEnd.FOUND else ExitCode.BLOCKED


def _tell(progress: BisectProgress) -> None:
    write_progress(build_bisect_progress(progress))
