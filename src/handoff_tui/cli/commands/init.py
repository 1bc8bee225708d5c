"""`init`: a signed log in one command, from the git identity and the SSH key."""

from __future__ import annotations

import argparse
from pathlib import Path

from handoff_tui.cli.exit_codes import ExitCode
from handoff_tui.cli.options import add_repository_option, find_start
from handoff_tui.cli.output import write_json, write_page
from handoff_tui.core.errors import UsageError
from handoff_tui.handoffs.session import load_terminal_theme
from handoff_tui.log.setup.init import InitRequest, begin_log
from handoff_tui.log.setup.init_page import build_init_json, build_init_page

_EXAMPLES = """\
examples:
  handoff-tui init                                a log of your own, signed with your git signing key
  handoff-tui init --pin                          and hold on to its first entry in your git configuration
  handoff-tui init --generate-key                 you have no key yet: ssh-keygen makes one, with a passphrase
  handoff-tui init --agent claude@agents.example=~/.ssh/claude.pub

Who you are and which key is yours is read from global and system git configuration only. Nothing that is there is
overwritten. More people come in with `handoff-tui policy propose`.
exit: 0 begun, 1 there is something already, 4 no key, or a locked one and nobody to ask
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EXAMPLES
    parser.add_argument(
        "--reviewer", metavar="EMAIL", help="your name in the log (default: user.email of your own git configuration)"
    )
    parser.add_argument(
        "--agent",
        action="append",
        default=[],
        metavar="NAME=KEYFILE",
        help="an agent that signs what it hands over (may be repeated)",
    )
    parser.add_argument("--generate-key", action="store_true", help="make ~/.ssh/id_ed25519, if you have no key at all")
    parser.add_argument(
        "--no-passphrase", action="store_true", help="the new key is not protected: who can read it can sign as you"
    )
    parser.add_argument("--pin", action="store_true", help="set the pin in your global git configuration")
    parser.add_argument("--json", action="store_true", help="print one JSON object for scripts")
    add_repository_option(parser)


def run(arguments: argparse.Namespace) -> ExitCode:
    if arguments.no_passphrase and not arguments.generate_key:
        raise UsageError("--no-passphrase is about a key that is made now", "Add --generate-key, or leave it out.")
    request = InitRequest(
        reviewer=arguments.reviewer,
        agents=tuple(map(_parse_agent, arguments.agent)),
        generate_key=arguments.generate_key,
        no_passphrase=arguments.no_passphrase,
        pin=arguments.pin,
    )
    report = begin_log(find_start(arguments), request)
    if arguments.json:
        write_json(build_init_json(report))
    else:
        write_page(build_init_page(report), load_terminal_theme())
    return ExitCode.OK


def _parse_agent(words: str) -> tuple[str, Path]:
    name, equals, file = words.partition("=")
    if not (name and equals and file):
        raise UsageError(f"--agent {words} is not NAME=KEYFILE", "--agent claude@agents.example=~/.ssh/claude.pub")
    return name, Path(file)
