"""`keys enroll|list`: prints the line that enrolls a key, or who may sign with which key."""

from __future__ import annotations

import argparse
from pathlib import Path

from handoff_tui.cli.diagnostics import write_note
from handoff_tui.cli.exit_codes import ExitCode
from handoff_tui.cli.options import add_child, add_output_options, find_start
from handoff_tui.cli.output import write_json, write_result, write_text
from handoff_tui.log.person import require_person
from handoff_tui.log.policy.init import EnrolRequest, enrol_key
from handoff_tui.log.policy.page import build_enroll_json, build_enroll_note, build_keys_json, build_keys_page
from handoff_tui.log.policy.show import show_policy

EXAMPLES = """\
examples:
  handoff-tui keys enroll                              your key's line, to send to whoever changes the policy
  handoff-tui keys enroll --valid-before 2027-01-31    valid until the end of that day, in UTC
  handoff-tui keys enroll --agent --principal claude@agents.example --key ~/.ssh/claude.pub
  handoff-tui keys list                                who may sign with which key
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    children = parser.add_subparsers(dest="what", metavar="WHAT", required=True)
    enrolling = add_child(children, "enroll", "print the line that enrolls a key")
    enrolling.add_argument("--principal", metavar="NAME", help="the name in the log (default: your user.email)")
    enrolling.add_argument("--key", type=Path, metavar="FILE", help="this key instead of the one you sign with")
    enrolling.add_argument("--valid-after", metavar="TIME", help="2026-01-31, or 2026-01-31T12:00:00Z")
    enrolling.add_argument("--valid-before", metavar="TIME", help="the same format; a day counts until its end")
    enrolling.add_argument("--agent", action="store_true", help="the key belongs to an agent, which can never decide")
    listing = add_child(children, "list", "list who may sign with which key")
    for child in (enrolling, listing):
        add_output_options(child)


def run(arguments: argparse.Namespace) -> ExitCode:
    if arguments.what == "list":
        return _list(arguments)
    require_person("enroll a key")
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
    write_result(arguments, build_keys_json, build_keys_page, report)
    return ExitCode.INTEGRITY if report.fatal else ExitCode.OK
