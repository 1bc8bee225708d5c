"""`doctor`: whether enforcement is really wired in."""

from __future__ import annotations

import argparse
import os
import shutil
import sys

from handoff_tui.checks.hooks.doctor import examine
from handoff_tui.checks.hooks.doctor_page import build_doctor_json, build_doctor_page
from handoff_tui.checks.hooks.doctor_report import TerminalFacts
from handoff_tui.cli.exit_codes import ExitCode
from handoff_tui.cli.options import add_reading_options, find_start
from handoff_tui.cli.output import write_json, write_page
from handoff_tui.handoffs.session import load_terminal_theme

_EXAMPLES = """\
examples:
  handoff-tui doctor                      hooks, CI, agent prompts: wired in or not, and what mends it
  handoff-tui doctor --json | jq -r '.diagnoses[] | select(.standing == "missing") | .commands[]'

exit code: 0 when everything is wired in, 1 when something is missing or cannot be told
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EXAMPLES
    add_reading_options(parser)


def run(arguments: argparse.Namespace) -> ExitCode:
    report = examine(find_start(arguments), read_terminal())
    if arguments.json:
        write_json(build_doctor_json(report))
    else:
        write_page(build_doctor_page(report, everything=arguments.all), load_terminal_theme())
    return ExitCode.OK if report.wired else ExitCode.BLOCKED


def read_terminal() -> TerminalFacts:
    """What the terminal says of itself; nothing is sent to it."""
    encoding = (sys.stdout.encoding or "").lower().replace("-", "")
    if not sys.stdout.isatty():
        return TerminalFacts(terminal=False, columns=None, colour=None, unicode=encoding == "utf8")
    return TerminalFacts(
        terminal=True,
        columns=shutil.get_terminal_size().columns,
        colour="NO_COLOR" not in os.environ and os.environ.get("TERM", "dumb") not in {"dumb", "unknown"},
        unicode=encoding == "utf8",
    )
