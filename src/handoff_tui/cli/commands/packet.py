"""`packet ID`: prints what the next attempt must know."""

from __future__ import annotations

import argparse

from handoff_tui.cli.exit_codes import ExitCode
from handoff_tui.cli.options import add_handoff_argument, add_output_options, add_phase_option, open_named_session
from handoff_tui.cli.output import write_json
from handoff_tui.cli.plain import write_plain
from handoff_tui.cli.progress import following
from handoff_tui.decisions.examine import examine
from handoff_tui.decisions.packet import build_packet
from handoff_tui.decisions.pages.packet import build_packet_json, render_packet
from handoff_tui.log.open_log import open_log

EXAMPLES = """\
examples:
  handoff-tui packet H-3 > packet.md         for an agent's prompt
  handoff-tui packet H-3 --json

exit: 0, or 3 if the log is not intact and reasons may be missing
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_handoff_argument(parser)
    add_phase_option(parser)
    add_output_options(parser)


def run(arguments: argparse.Namespace) -> ExitCode:
    session = open_named_session(arguments)
    with following() as progress:
        examined = examine(session, open_log(session.repository), arguments.id, arguments.phase, telling=progress)
    packet = build_packet(examined)
    if arguments.json:
        write_json(build_packet_json(packet))
    else:
        write_plain(render_packet(packet))
    return ExitCode.INTEGRITY if examined.index.verdict.fatal else ExitCode.OK
