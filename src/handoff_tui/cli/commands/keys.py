"""`keys enroll|list`: the line that enrols a key, and who may sign with which."""

from __future__ import annotations

import argparse
from pathlib import Path

from handoff_tui.cli.diagnostics import write_note
from handoff_tui.cli.exit_codes import ExitCode
from handoff_tui.cli.options import add_repository_option, find_start
from handoff_tui.cli.output import write_json, write_page, write_text
from handoff_tui.handoffs.session import load_terminal_theme
from handoff_tui.log.policy.show import show_policy
from handoff_tui.log.setup.keys import EnrolRequest, enrol_key
from handoff_tui.log.setup.keys_page import build_enroll_json, build_enroll_note, build_keys_json, build_keys_page

_EXAMPLES = """\
examples:
  handoff-tui keys enroll                              the line of your own key, to be sent to who changes the policy
  handoff-tui keys enroll --valid-before 2027-01-31    it counts until the end of that day, in UTC
  handoff-tui keys enroll --agent --principal claude@agents.example --key ~/.ssh/claude.pub
  handoff-tui keys list                                who may sign with which key
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EXAMPLES
    children = parser.add_subparsers(dest="what", metavar="WHAT", required=True)
    enrolling = children.add_parser("enroll", help="the line of a key", description="the line of a key")
    enrolling.add_argument("--principal", metavar="NAME", help="the name in the log (default: your user.email)")
    enrolling.add_argument("--key", type=Path, metavar="FILE", help="another key than the one you sign with")
    enrolling.add_argument("--valid-after", metavar="TIME", help="2026-01-31, or 2026-01-31T12:00:00Z")
    enrolling.add_argument("--valid-before", metavar="TIME", help="the same; a day counts to its end")
    enrolling.add_argument("--agent", action="store_true", help="the key of an agent, which may never decide")
    listing = children.add_parser("list", help="who may sign with which key", description="who may sign with which key")
    for child in (enrolling, listing):
        child.add_argument("--json", action="store_true", help="print one JSON object for scripts")
        add_repository_option(child)


def run(arguments: argparse.Namespace) -> ExitCode:
    if arguments.what == "list":
        return _list(arguments)
    report = enrol_key(
        find_start(arguments),
        EnrolRequest(
            principal=arguments.principal,
            key_file=arguments.key,
            valid_after=arguments.valid_after,
            valid_before=arguments.valid_before,
            agent=arguments.agent,
        ),
    )
    if arguments.json:
        write_json(build_enroll_json(report))
        return ExitCode.OK
    write_text(report.line)
    write_note(build_enroll_note(report))
    return ExitCode.OK


def _list(arguments: argparse.Namespace) -> ExitCode:
    report = show_policy(find_start(arguments))
    if arguments.json:
        write_json(build_keys_json(report))
    else:
        write_page(build_keys_page(report), load_terminal_theme())
    return ExitCode.INTEGRITY if report.fatal else ExitCode.OK
