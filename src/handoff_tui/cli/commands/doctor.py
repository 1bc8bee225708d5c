"""`doctor`: finds out whether the checks are really enforced."""

from __future__ import annotations

import argparse
import os
import shutil
import sys

from handoff_tui.agents.hosts.doctor import diagnose_hosts
from handoff_tui.checks.hooks.doctor import examine
from handoff_tui.checks.hooks.doctor_report import TerminalFacts, build_doctor_json, build_doctor_page
from handoff_tui.cli.exit_codes import ExitCode
from handoff_tui.cli.options import add_reading_options, find_start
from handoff_tui.cli.output import write_result

EXAMPLES = """\
examples:
  handoff-tui doctor                      git hooks, CI, prompts, agent hosts: what enforces the checks
  handoff-tui doctor --json | jq -r '.diagnoses[] | select(.standing == "missing") | .commands[]'

exit: 0 everything is in place, 1 something is missing or can't be determined
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_reading_options(parser)


def run(arguments: argparse.Namespace) -> ExitCode:
    start = find_start(arguments)
    report = examine(start, read_terminal())
    report = report.model_copy(update={"diagnoses": (*report.diagnoses, *diagnose_hosts(start))})
    write_result(arguments, build_doctor_json, build_doctor_page, report, everything=arguments.all)
    return ExitCode.OK if report.wired else ExitCode.BLOCKED


def read_terminal() -> TerminalFacts:
    """Describes the terminal without sending anything to it."""
    encoding = (sys.stdout.encoding or "").lower().replace("-", "")
    if not sys.stdout.isatty():
        return TerminalFacts(terminal=False, columns=None, colour=None, unicode=encoding == "utf8")
    return TerminalFacts(
        terminal=True,
        columns=shutil.get_terminal_size().columns,
        colour="NO_COLOR" not in os.environ and os.environ.get("TERM", "dumb") not in {"dumb", "unknown"},
        unicode=encoding == "utf8",
    )
