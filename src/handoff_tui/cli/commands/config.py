"""`config show` and `config schema`: the current settings, and everything that can be set."""

from __future__ import annotations

import argparse

from handoff_tui.cli.exit_codes import ExitCode
from handoff_tui.cli.options import add_reading_options, find_start
from handoff_tui.cli.output import write_json, write_result
from handoff_tui.config.load import read_settings
from handoff_tui.config.page import build_config_json, build_config_page
from handoff_tui.config.schema import build_schema

EXAMPLES = """\
examples:
  handoff-tui config show                   every setting
  handoff-tui config show --origins         and the file and line it comes from
  handoff-tui config schema > schema.json   for your editor
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    children = parser.add_subparsers(dest="what", metavar="WHAT", required=True)
    show = children.add_parser("show", help="show the current settings", description="Show the current settings")
    show.add_argument("--origins", action="store_true", help="show where each value comes from")
    add_reading_options(show)
    summary = "the JSON Schema of handoff-tui.toml"
    children.add_parser("schema", help=f"print {summary}", description=f"Print {summary}")


def run(arguments: argparse.Namespace) -> ExitCode:
    if arguments.what == "schema":
        write_json(build_schema())
        return ExitCode.OK
    rows = read_settings(find_start(arguments), required=arguments.repo is not None).rows()
    write_result(arguments, lambda: build_config_json(rows), lambda: build_config_page(rows, origins=arguments.origins))
    return ExitCode.OK
