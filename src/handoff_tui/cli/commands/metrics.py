"""`metrics`: prints metrics from the signed log and git as text with plots, JSON, or CSV."""

from __future__ import annotations

import argparse

from handoff_tui.cli.exit_codes import ExitCode
from handoff_tui.cli.options import add_reading_options, find_start
from handoff_tui.cli.output import write_json, write_page
from handoff_tui.cli.plain import write_plain
from handoff_tui.core.errors import UsageError
from handoff_tui.history.metrics.metrics import parse_window, read_metrics_at
from handoff_tui.history.metrics.page import build_metrics_json, build_metrics_page, render_metrics_csv

EXAMPLES = """\
examples:
  handoff-tui metrics                                       every metric, with its target and the entries behind it
  handoff-tui metrics --since 2026-03-01 --until 2026-03-31 one month, including both days
  handoff-tui metrics --csv > metrics.csv                   one row per metric and group
  handoff-tui metrics --json | jq .                         the same for scripts

exit: 0, or 3 if the log is not intact and nothing can be computed
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_reading_options(parser)
    parser.add_argument("--csv", action="store_true", help="print CSV for spreadsheets")
    parser.add_argument("--since", metavar="DAY", help="the first day (UTC), such as 2026-03-01")
    parser.add_argument("--until", metavar="DAY", help="the last day (UTC)")


def run(arguments: argparse.Namespace) -> ExitCode:
    if arguments.json and arguments.csv:
        raise UsageError("--json and --csv can't be combined", "Leave out one of them.")
    report = read_metrics_at(find_start(arguments), parse_window(arguments.since, arguments.until))
    if arguments.json:
        write_json(build_metrics_json(report))
    elif arguments.csv:
        write_plain(render_metrics_csv(report))
    else:
        write_page(build_metrics_page(report, everything=arguments.all))
    return ExitCode.INTEGRITY if report.fatal else ExitCode.OK
