"""`init`: starts a signed log from your git identity and SSH key."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from handoff_tui.agents.set_up import set_up
from handoff_tui.cli.exit_codes import ExitCode
from handoff_tui.cli.options import add_output_options, find_start
from handoff_tui.cli.output import write_result
from handoff_tui.config.first_hour import AgentNote, FoundTests, find_tests, plan_agent_note
from handoff_tui.core.classes import replace
from handoff_tui.core.errors import UsageError
from handoff_tui.handoffs.session import open_session
from handoff_tui.log.person import ask_until_clear, parse_yes, require_person
from handoff_tui.log.policy.init import InitRequest, has_security_key, require_beginning
from handoff_tui.log.policy.page import build_init_json, build_init_page
from handoff_tui.log.policy.policy import Wall, build_question, parse_protection

EXAMPLES = """\
examples:
  handoff-tui init                                start a log, signed with your git signing key
  handoff-tui init --pin                          and pin its first entry in your git configuration
  handoff-tui init --generate-key                 if you have no key: ssh-keygen creates one, with a passphrase;
                                                  on a security key, if one is plugged in and you want that
  handoff-tui init --agent claude@agents.example=~/.ssh/claude.pub
  handoff-tui init --start v1.0                   work up to v1.0 is history; by default, up to HEAD
  handoff-tui init --all                          all of history needs approvals
  handoff-tui init --protection ci,passphrase     what keeps agents from signing as you; otherwise you are asked
  handoff-tui init --team                         nobody approves work under their own name
  handoff-tui init --tests --agent-note           the tests become a check; AGENTS.md says how to hand over

Your identity and key are read from the global and system git configuration only. Nothing that exists is
overwritten. Add more people with `handoff-tui policy propose`.

exit: 0 started, 1 a log exists already, 4 no key, or a locked key and nobody to ask
"""


_PATIENCE_SECONDS = 120.0
"""If nobody answers, it doesn't wait; the policy then says nothing about it."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--reviewer", metavar="EMAIL", help="your name in the log (default: user.email in your git configuration)"
    )
    parser.add_argument(
        "--agent",
        action="append",
        default=[],
        metavar="NAME=KEYFILE",
        help="an agent that signs what it hands over (repeatable)",
    )
    parser.add_argument("--generate-key", action="store_true", help="create ~/.ssh/id_ed25519 if you have no key yet")
    parser.add_argument(
        "--no-passphrase",
        action="store_true",
        help="leave the new key unprotected: anyone who can read it can sign as you",
    )
    parser.add_argument(
        "--security-key",
        action="store_true",
        help="create the new key on the security key that is plugged in: it signs only when touched",
    )
    parser.add_argument(
        "--protection",
        metavar="LIST",
        help=f"what keeps agents from signing as you, for the policy: {', '.join(Wall)}, or none",
    )
    parser.add_argument("--pin", action="store_true", help="set the pin in your global git configuration")
    past = parser.add_mutually_exclusive_group()
    past.add_argument("--start", metavar="COMMIT", help="work up to this commit is history (default: HEAD)")
    past.add_argument("--all", action="store_true", help="no start line: the whole history needs approvals")
    parser.add_argument(
        "--team",
        action="store_true",
        help="nobody may approve work under their own name, so agents need names of their own",
    )
    parser.add_argument(
        "--tests",
        action=argparse.BooleanOptionalAction,
        help="run the repository's tests as a check (default: ask, if any are found)",
    )
    parser.add_argument(
        "--agent-note",
        action=argparse.BooleanOptionalAction,
        help="add a few lines on handing over to AGENTS.md or CLAUDE.md (default: ask)",
    )
    add_output_options(parser)


def run(arguments: argparse.Namespace) -> ExitCode:
    if arguments.no_passphrase and not arguments.generate_key:
        raise UsageError("--no-passphrase only works with --generate-key", "Add --generate-key, or leave it out.")
    if arguments.security_key and (arguments.no_passphrase or not arguments.generate_key):
        raise UsageError("--security-key only works with --generate-key, and without --no-passphrase")
    walls = None if arguments.protection is None else parse_protection(arguments.protection)
    require_person("begin a log")
    asks = sys.stdin.isatty() and sys.stdout.isatty() and not arguments.json
    request = InitRequest(
        reviewer=arguments.reviewer,
        agents=tuple(map(_parse_agent, arguments.agent)),
        generate_key=arguments.generate_key,
        no_passphrase=arguments.no_passphrase,
        pin=arguments.pin,
        start=arguments.start,
        everything=arguments.all,
        team=arguments.team,
        touch=arguments.security_key or (asks and _wants_security_key(arguments)),
        protection=walls,
        ask_protection=_ask_protection if asks else None,
    )
    repository = open_session(find_start(arguments)).repository
    require_beginning(repository, request)  # before anything is asked
    root = repository.root
    tests = next(iter(find_tests(root)), None)
    if tests is not None and _agrees(arguments.tests, asks, _ask_for_tests(tests)):
        request = replace(request, tests=tests)
    note = plan_agent_note(root)
    wants_note = note is not None and _agrees(arguments.agent_note, asks, _ask_for_note(note))
    report = set_up(root, request, note if wants_note else None)
    write_result(arguments, build_init_json, build_init_page, report)
    return ExitCode.OK


def _agrees(said: bool | None, asks: bool, question: str) -> bool:  # noqa: FBT001 - what an option says
    """What the option says; without one, what the person answers. Nobody answering is no."""
    if said is not None or not asks:
        return bool(said)
    return bool(ask_until_clear(question, parse_yes, _PATIENCE_SECONDS))


def _ask_for_tests(tests: FoundTests) -> str:
    needs = f", with {' and '.join(tests.access)} from here" if tests.access else ""
    return f"Tests found in {tests.source}. Run `{' '.join(tests.argv)}`{needs} as a check of every handoff? [Y/n]: "


def _ask_for_note(note: AgentNote) -> str:
    return f"{note.added.strip()}\n\nAdd this to {note.path}, so that agents know how to hand over? [Y/n]: "


def _wants_security_key(arguments: argparse.Namespace) -> bool:
    """Offers to make the new key on a security key that is plugged in; silence is no."""
    if not arguments.generate_key or arguments.no_passphrase or not has_security_key():
        return False
    question = "A security key is plugged in. Make your key on it, so that it signs only when touched? [Y/n]: "
    return bool(ask_until_clear(question, parse_yes, _PATIENCE_SECONDS))


def _ask_protection(usual: tuple[Wall, ...]) -> tuple[Wall, ...] | None:
    """Asks what is in place; None if nobody answers, and then the policy doesn't say."""
    return ask_until_clear(
        build_question(usual), lambda answer: parse_protection(answer) if answer else usual, _PATIENCE_SECONDS
    )


def _parse_agent(words: str) -> tuple[str, Path]:
    name, equals, file = words.partition("=")
    if not (name and equals and file):
        raise UsageError(
            f"--agent {words} is not NAME=KEYFILE", "For example: --agent claude@agents.example=~/.ssh/claude.pub"
        )
    return name, Path(file)
