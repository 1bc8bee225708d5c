"""`wait ID`: for agents: blocks until somebody has decided, then prints the decision and the packet."""

from __future__ import annotations

import argparse
import re

from handoff_tui.cli.diagnostics import write_note
from handoff_tui.cli.exit_codes import ExitCode
from handoff_tui.cli.options import add_handoff_argument, add_phase_option, add_repository_option, find_start
from handoff_tui.cli.output import write_json, write_page
from handoff_tui.cli.plain import write_plain
from handoff_tui.decisions.examine import Examined
from handoff_tui.decisions.gate_view import build_gate_view
from handoff_tui.decisions.packet import build_packet
from handoff_tui.decisions.pages.gate import build_gate_json, build_gate_page
from handoff_tui.decisions.pages.packet import build_packet_json, render_packet
from handoff_tui.decisions.wait import wait
from handoff_tui.handoffs.session import load_terminal_theme, open_desk
from handoff_tui.log.gates.gate_state import GateName

SCHEMA = "handoff-tui/wait/v1"
_UNITS = {"": 1, "s": 1, "m": 60, "h": 3600}
_PASSED = frozenset({GateName.APPROVED, GateName.OVERRIDDEN, GateName.SKIPPED})
_SENT_BACK = frozenset({GateName.REJECTED, GateName.RETRY})
_EXAMPLES = """\
examples:
  handoff-tui wait H-3                       until somebody decides
  handoff-tui wait H-3 --timeout 15m > packet.md || fix-it packet.md

exit: 0 approved, 1 rejected or to be tried again (the packet is printed), 3 the log is not sound, 5 still pending
A timeout is never a yes and never a no.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EXAMPLES
    add_handoff_argument(parser)
    add_phase_option(parser)
    parser.add_argument(
        "--timeout", type=_parse_seconds, metavar="T", help="give up waiting: seconds, or 15m, 2h (default: never)"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object for scripts")
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
        raise argparse.ArgumentTypeError(f"{text!r} is no time; write seconds, or a number with s, m or h")
    return float(matched[1]) * _UNITS[matched[2]]


def _tell(examined: Examined) -> None:
    write_note(f"{examined.target.handoff}: {examined.gate.state.value}; {'; '.join(examined.gate.why)}")
