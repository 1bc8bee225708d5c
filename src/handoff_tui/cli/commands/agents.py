"""`agents list`: which agents' programs are installed, and which agents are configured."""

from __future__ import annotations

import argparse

from handoff_tui.agents.roster import build_roster, build_roster_json, build_roster_page
from handoff_tui.cli.exit_codes import ExitCode
from handoff_tui.cli.options import add_child, add_output_options, find_start
from handoff_tui.cli.output import write_result
from handoff_tui.config.load import read_settings

EXAMPLES = """\
examples:
  handoff-tui agents list                   presets, installed or not, and the agents of your configuration
  handoff-tui agents list --json            the same for scripts

One line in config.toml or handoff-tui.toml makes an agent of an installed program:
  agents.implement.preset = "claude"        also codex, gemini, opencode, goose, aider
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    children = parser.add_subparsers(dest="what", metavar="WHAT", required=True)
    listing = add_child(children, "list", "list presets and configured agents; starts none of them")
    add_output_options(listing)


def run(arguments: argparse.Namespace) -> ExitCode:
    loaded = read_settings(find_start(arguments), required=arguments.repo is not None)
    write_result(arguments, build_roster_json, build_roster_page, build_roster(loaded))
    return ExitCode.OK
