"""`status`: lists every handoff, what blocks it, whose turn it is, and files not understood."""

from __future__ import annotations

import argparse

from handoff_tui.cli.exit_codes import ExitCode
from handoff_tui.cli.options import add_at_option, add_reading_options
from handoff_tui.cli.remembered import open_cache, repeat

EXAMPLES = """\
examples:
  handoff-tui status
  handoff-tui status --repo ../other --all
  handoff-tui status --past                            past ones, too: archived, superseded, before the start line
  handoff-tui status --at HEAD~3                       as it was three commits ago
  handoff-tui status --json | jq '.handoffs[] | select(.gate.next_move.who != "agent") | .id'
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_at_option(parser)
    add_reading_options(parser)
    parser.add_argument("--past", action="store_true", help="also list past handoffs: why, and what came after them")


def run(arguments: argparse.Namespace) -> ExitCode:
    if getattr(arguments, "at", None) is not None:
        from handoff_tui.cli.look_back import run_status_at  # noqa: PLC0415 - few ask about the past

        return run_status_at(arguments)
    recall = open_cache(arguments)
    known = repeat(recall)
    if known is not None:
        return known
    from handoff_tui.cli.fresh.status import run_status  # noqa: PLC0415 - only a real look needs it

    return run_status(arguments, recall)
