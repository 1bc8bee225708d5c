"""`status`: every handoff found, what blocks it, who owes the next move; files not understood."""

from __future__ import annotations

import argparse

from handoff_tui.cli.exit_codes import ExitCode
from handoff_tui.cli.options import add_at_option, add_reading_options, find_start
from handoff_tui.cli.output import write_json, write_page
from handoff_tui.handoffs.session import load_terminal_theme, open_desk_to_look
from handoff_tui.status.refresh import refresh
from handoff_tui.status.status_page import build_status_json, build_status_page

_EXAMPLES = """\
examples:
  handoff-tui status
  handoff-tui status --repo ../other --all
  handoff-tui status --at HEAD~3                       the same, as it was
  handoff-tui status --json | jq '.handoffs[] | select(.gate.next_move.who != "agent") | .id'
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EXAMPLES
    add_at_option(parser)
    add_reading_options(parser)


def run(arguments: argparse.Namespace) -> ExitCode:
    if getattr(arguments, "at", None) is not None:
        from handoff_tui.cli.look_back import run_status_at  # noqa: PLC0415 - few ask about the past

        return run_status_at(arguments)
    desk = open_desk_to_look(find_start(arguments))
    state = refresh(desk)
    if arguments.json:
        write_json(build_status_json(state))
    else:
        write_page(build_status_page(state, everything=arguments.all), load_terminal_theme())
    desk.loaded.refuse_judging()  # everything is listed; that the settings are wrong is still an error
    return ExitCode.OK
