"""`metrics`: figures from the signed log and git: text with plots, JSON, or a table for spreadsheets."""

from __future__ import annotations

import argparse

from handoff_tui.cli.exit_codes import ExitCode
from handoff_tui.cli.options import add_reading_options, find_start
from handoff_tui.cli.output import write_json, write_page
from handoff_tui.cli.plain import write_plain
from handoff_tui.core.errors import UsageError
from handoff_tui.handoffs.session import load_terminal_theme
from handoff_tui.history.metrics.json import build_metrics_json, render_metrics_csv
from handoff_tui.history.metrics.metrics import parse_window, read_metrics_at
from handoff_tui.history.metrics.page import build_metrics_page

_EXAMPLES = """\
examples:
  handoff-tui metrics                                       every figure, with its target and the entries behind it
  handoff-tui metrics --since 2026-03-01 --until 2026-03-31 of one month, both days counted in
  handoff-tui metrics --csv > figures.csv                   one row a figure and group
  handoff-tui metrics --json | jq '.figures[] | {id, value, met}'

exit: 0, or 3 when the log is not sound: then no figure is computed
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EXAMPLES
    add_reading_options(parser)
    parser.add_argument("--csv", action="store_true", help="print a table for spreadsheets")
    parser.add_argument("--since", metavar="DAY", help="count from this day on (UTC), such as 2026-03-01")
    parser.add_argument("--until", metavar="DAY", help="count up to and with this day (UTC)")


def run(arguments: argparse.Namespace) -> ExitCode:
    if arguments.json and arguments.csv:
        raise UsageError("--json and --csv are two forms of the same", "Leave out one of them.")
    report = read_metrics_at(find_start(arguments), parse_window(arguments.since, arguments.until))
    if arguments.json:
        write_json(build_metrics_json(report))
    elif arguments.csv:
        write_plain(render_metrics_csv(report))
    else:
        write_page(build_metrics_page(report, everything=arguments.all), load_terminal_theme())
    return ExitCode.INTEGRITY if report.fatal else ExitCode.OK
