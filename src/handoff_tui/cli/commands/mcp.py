"""`mcp`: serves agents over MCP."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from handoff_tui.cli.diagnostics import report_bug
from handoff_tui.cli.exit_codes import ExitCode
from handoff_tui.cli.options import add_pin_option, add_repository_option, find_start, use_pin
from handoff_tui.core.errors import UsageError

EXAMPLES = """\
examples:
  claude mcp add handoff-tui -- handoff-tui mcp      let Claude Code start it in its folder
  codex mcp add handoff-tui -- handoff-tui mcp       the same for Codex
  handoff-tui mcp --repo ../shop --key agent_key     for one repository; submissions are signed with the agent's key

An agent host starts this and talks to it over standard input and output. Its tools are status, gate, packet, wait,
submit and comment. None of them decides, and no answer by a client counts as a decision.
It is an extra: pip install 'handoff-tui[mcp]'
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--key", type=Path, metavar="FILE", help="the agent's own key, which signs what it submits")
    add_pin_option(parser)
    add_repository_option(parser)


def run(arguments: argparse.Namespace) -> ExitCode:
    from handoff_tui.agents.mcp.server import McpServer  # noqa: PLC0415 - help needs no server

    use_pin(arguments)
    server = McpServer(find_start(arguments).absolute(), arguments.key, lambda fault: report_bug(fault, ["mcp"]))
    server.require_sdk()
    if sys.stdin is None or sys.stdin.isatty():
        raise UsageError(
            "an agent host starts this and talks to it over a pipe", "`handoff-tui mcp --help` shows how to set it up."
        )
    server.serve()
    return ExitCode.OK
