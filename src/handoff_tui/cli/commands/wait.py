"""`wait ID`: waits for a decision (for agents), then prints it with the packet."""

from __future__ import annotations

import argparse
import os
import re
import sys
from pathlib import Path

from handoff_tui.agents.hosts.returned import wait_for_return
from handoff_tui.agents.hosts.wire import parse_question
from handoff_tui.cli.diagnostics import write_note
from handoff_tui.cli.exit_codes import ExitCode
from handoff_tui.cli.options import (
    add_output_options,
    add_phase_option,
    add_pin_option,
    find_start,
    open_named_session,
    use_pin,
)
from handoff_tui.cli.output import write_json, write_page
from handoff_tui.cli.plain import write_plain
from handoff_tui.core.errors import UsageError
from handoff_tui.decisions.examine import ExaminedGate, build_gate_view
from handoff_tui.decisions.packet import build_packet
from handoff_tui.decisions.pages.gate import build_gate_json, build_gate_page
from handoff_tui.decisions.pages.packet import build_packet_json, render_packet
from handoff_tui.decisions.submit import wait
from handoff_tui.log.gates.gate_state import OPENING, SENT_BACK

SCHEMA = "handoff-tui/wait/v1"
_ENTRY_POINT = "CLAUDE_CODE_ENTRYPOINT"
_UNITS = {"": 1, "s": 1, "m": 60, "h": 3600}
EXAMPLES = """\
examples:
  handoff-tui wait H-3                       wait until somebody decides
  handoff-tui wait H-3 --timeout 15m > packet.md || fix-it packet.md
  handoff-tui wait --hook                    as a background hook: wakes the agent when work is sent back

A timeout is neither a yes nor a no. To fetch decisions made elsewhere, every 30 seconds, name an address:
git config --global handoff-tui.FOLDER.fetch ADDRESS

exit: 0 approved, 1 rejected or to be retried (prints the packet), 3 the log is not intact or nothing vouches for it,
5 still pending
with --hook: 2 sent back (the packet is on stderr), 0 otherwise
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("id", metavar="ID", nargs="?", help="the handoff, as listed by `handoff-tui status`")
    add_phase_option(parser)
    parser.add_argument(
        "--hook",
        action="store_true",
        help="as a hook of an agent host: wait for any handoff if none is named, and report each once per session",
    )
    parser.add_argument(
        "--timeout",
        type=_parse_seconds,
        metavar="T",
        help="stop waiting after this time: seconds, 15m or 2h (default: never)",
    )
    add_pin_option(parser)
    add_output_options(parser)


def run(arguments: argparse.Namespace) -> ExitCode:
    use_pin(arguments)
    if arguments.hook:
        return _wake(arguments)
    if arguments.id is None:
        raise UsageError("which handoff? Only --hook waits for any", "`handoff-tui status` lists them.")
    session = open_named_session(arguments)
    examined = wait(session, arguments.id, arguments.phase, arguments.timeout, _tell, on_trouble=write_note)
    view = build_gate_view(examined)
    state = examined.gate.state
    packet = build_packet(examined) if state in SENT_BACK else None
    if arguments.json:
        shown = build_packet_json(packet) if packet else None
        write_json({"schema": SCHEMA, "gate": build_gate_json(view), "packet": shown})
    elif packet is not None:
        write_plain(render_packet(packet))
    else:
        write_page(build_gate_page(view))
    if examined.index.verdict.fatal:
        return ExitCode.INTEGRITY
    if state in OPENING:
        return ExitCode.OK if examined.index.verdict.anchored else ExitCode.INTEGRITY
    return ExitCode.BLOCKED if state in SENT_BACK else ExitCode.STILL_PENDING


def _wake(arguments: argparse.Namespace) -> ExitCode:
    """Waits as a hook does; exit code 2 wakes the agent with what stands on stderr."""
    if arguments.timeout is None and os.environ.get(_ENTRY_POINT, "").startswith("sdk"):
        return ExitCode.OK  # `claude -p` would not end before this does; there, `hook claude --defer` waits
    start, session = find_start(arguments), ""
    if sys.stdin is not None and not sys.stdin.isatty():
        given = sys.stdin.buffer.read().decode("utf-8", "replace")
        if given.strip():
            question = parse_question(given)
            start, session = Path(question.folder) if arguments.repo is None else start, question.session
    packet = wait_for_return(start, session, arguments.id, arguments.timeout)
    if not packet:
        return ExitCode.OK
    write_note(packet.rstrip("\n"))
    return ExitCode.USAGE  # by the hosts' rules, 2 is what an agent is told about


def _parse_seconds(text: str) -> float:
    """`90`, `1.5`, `30s`, `15m` or `2h`."""
    matched = re.fullmatch(r"([0-9]{1,9}(?:\.[0-9]{1,3})?)([smh]?)", text)
    if matched is None:
        raise argparse.ArgumentTypeError(f"{text!r} is not a time; use seconds, or a number with s, m or h")
    return float(matched[1]) * _UNITS[matched[2]]


def _tell(examined: ExaminedGate) -> None:
    write_note(f"{examined.key.handoff}: {examined.gate.state.value}; {'; '.join(examined.gate.why)}")
