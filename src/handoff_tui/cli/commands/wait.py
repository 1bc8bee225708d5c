"""`wait ID`: waits for a decision (for agents), then prints it with the packet."""

from __future__ import annotations

import argparse
import re

from handoff_tui.cli.diagnostics import write_note
from handoff_tui.cli.exit_codes import ExitCode
from handoff_tui.cli.options import (
    add_handoff_argument,
    add_json_option,
    add_phase_option,
    add_repository_option,
    find_start,
)
from handoff_tui.cli.output import write_json, write_page
from handoff_tui.cli.plain import write_plain
from handoff_tui.decisions.examine import ExaminedGate, build_gate_view
from handoff_tui.decisions.packet import build_packet
from handoff_tui.decisions.pages.gate import build_gate_json, build_gate_page
from handoff_tui.decisions.pages.packet import build_packet_json, render_packet
from handoff_tui.decisions.submit import wait
from handoff_tui.handoffs.session import load_terminal_theme, open_desk
from handoff_tui.log.gates.gate_state import GateName

SCHEMA = "handoff-tui/wait/v1"
_UNITS = {"": 1, "s": 1, "m": 60, "h": 3600}
_PASSED = frozenset({GateName.APPROVED, GateName.OVERRIDDEN, GateName.SKIPPED})
_SENT_BACK = frozenset({GateName.REJECTED, GateName.RETRY})
EXAMPLES = """\
examples:
  handoff-tui wait H-3                       wait until somebody decides
  handoff-tui wait H-3 --timeout 15m > packet.md || fix-it packet.md

A timeout is neither a yes nor a no.

exit: 0 approved, 1 rejected or to be retried (prints the packet), 3 the log is not intact, 5 still pending
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_handoff_argument(parser)
    add_phase_option(parser)
    parser.add_argument(
        "--timeout",
        type=_parse_seconds,
        metavar="T",
        help="stop waiting after this time: seconds, 15m or 2h (default: never)",
    )
    add_json_option(parser)
    add_repository_option(parser)


def run(arguments: argparse.Namespace) -> ExitCode:
    desk = open_desk(find_start(arguments))
    examined = wait(desk, arguments.id, arguments.phase, arguments.timeout, _tell)
    view = build_gate_view(examined)
    state = examined.gate.state
    packet = build_packet(examined) if state in _SENT_BACK else None
    if arguments.json:
        shown = build_packet_json(packet) if packet else None
        write_json({"schema": SCHEMA, "gate": build_gate_json(view), "packet": shown})
    elif packet is not None:
        write_plain(render_packet(packet))
    else:
        write_page(build_gate_page(view), load_terminal_theme())
    if examined.index.verdict.fatal:
        return ExitCode.INTEGRITY
    if state in _PASSED:
        return ExitCode.OK
    return ExitCode.BLOCKED if state in _SENT_BACK else ExitCode.STILL_PENDING


def _parse_seconds(text: str) -> float:
    """`90`, `1.5`, `30s`, `15m` or `2h`."""
    matched = re.fullmatch(r"([0-9]{1,9}(?:\.[0-9]{1,3})?)([smh]?)", text)
    if matched is None:
        raise argparse.ArgumentTypeError(f"{text!r} is not a time; use seconds, or a number with s, m or h")
    return float(matched[1]) * _UNITS[matched[2]]


def _tell(examined: ExaminedGate) -> None:
    write_note(f"{examined.key.handoff}: {examined.gate.state.value}; {'; '.join(examined.gate.why)}")
