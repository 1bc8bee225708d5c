"""The command line: verbs, and one place that turns failures into exit codes."""

from __future__ import annotations

import argparse
import importlib
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NoReturn, Protocol, cast

from handoff_tui import __version__
from handoff_tui.cli.diagnostics import write_bug, write_error
from handoff_tui.cli.exit_codes import ExitCode, find_exit_code
from handoff_tui.errors import HandoffError, UsageError

_VERBS = {
    "status": "every handoff found, what blocks it, and who owes the next move",
    "show": "one handoff whole: claims beside measurements, documents, tasks, attempts",
    "check": "run the checks: what holds, what does not, what to do",
    "diff": "what has changed since the baseline: tests, checks, packages by id, then the files",
    "baseline": "snapshots to compare with: list, show, capture, pin",
    "gate": "where a gate stands and why; the digest of what a decision is bound to",
    "decide": "approve, reject, retry, skip, override, hold, withdraw or carry: checked, shown, signed",
    "submit": "an agent hands over, signed if it has a key",
    "wait": "for agents: until somebody has decided; prints the decision and the packet",
    "packet": "what the next attempt has to know: reasons, remarks, failing checks",
    "log": "the signed log: list, show, verify, bundle",
    "init": "begin a signed log: a policy of your own, from your git identity and SSH key",
    "keys": "enroll a key, or list who may sign with which",
    "policy": "who may do what: show, propose, sign, seal",
    "demo": "build the sample repository and review it",
    "hooks": "install or uninstall git hooks that run the checks",
    "doctor": "whether the checks are really wired in: hooks, CI, agent prompts",
    "config": "the settings in force and where each comes from",
    "completion": "a completion script for bash, zsh or fish",
}

_EXAMPLES = """\
examples:
  handoff-tui demo                     a sample repository with every format, built and reviewed
  handoff-tui status                   the handoffs of this repository
  handoff-tui show H-3                 one of them, claims beside measurements
  handoff-tui status --json | jq .     the same for scripts
"""


class Command(Protocol):
    """A module in commands/."""

    def add_arguments(self, parser: argparse.ArgumentParser) -> None: ...

    def run(self, arguments: argparse.Namespace) -> ExitCode: ...


class Parser(argparse.ArgumentParser):
    """Usage errors become UsageError, so that one place writes them."""

    def error(self, message: str) -> NoReturn:
        raise UsageError(message, f"{self.prog} --help shows how to call it.")


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one verb and returns its exit code; nothing escapes as a traceback."""
    given = list(sys.argv[1:] if argv is None else argv)
    try:
        return int(_run(given))
    except HandoffError as expected:
        write_error(expected)
        return find_exit_code(expected)
    except KeyboardInterrupt:
        return ExitCode.INTERRUPTED
    except BrokenPipeError:
        return _leave_quietly()
    except Exception as fault:  # noqa: BLE001 - the one place that may: a fault of ours gets a report and its own code
        from handoff_tui.review.report_bug import report_bug  # noqa: PLC0415

        write_bug(fault, report_bug(fault, given))
        return ExitCode.BUG


def build_parser(verbs: Sequence[str] = tuple(_VERBS)) -> argparse.ArgumentParser:
    """The parser; only the named verbs are loaded, the others are listed."""
    parser = Parser(
        prog="handoff-tui",
        description="The desk where a person decides whether one AI agent's work may pass to the next.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"handoff-tui {__version__}")
    parser.add_argument(
        "--repo", type=Path, metavar="PATH", help="the repository (default: the one around this folder)"
    )
    children = parser.add_subparsers(dest="verb", metavar="VERB", title="verbs")
    for verb, summary in _VERBS.items():
        child = children.add_parser(
            verb, help=summary, description=summary, formatter_class=argparse.RawDescriptionHelpFormatter
        )
        if verb in verbs:
            _load(verb).add_arguments(child)
    return parser


def _run(given: list[str]) -> ExitCode:
    if given == ["--version"]:  # needs no parser, and is asked often by other programs
        from handoff_tui.cli.output import write_text  # noqa: PLC0415

        write_text(f"handoff-tui {__version__}")
        return ExitCode.OK
    parser = build_parser([word for word in given if word in _VERBS])  # a value may be called like a verb
    try:
        arguments = parser.parse_args(given)
    except SystemExit as done:  # --help and --version have printed and want to leave
        return ExitCode.OK if not done.code else ExitCode.USAGE
    run: Callable[[argparse.Namespace], ExitCode] = _load(arguments.verb or "status").run
    if arguments.verb is None:
        return _run_without_verb(arguments, run)
    return run(arguments)


def _run_without_verb(arguments: argparse.Namespace, run: Callable[[argparse.Namespace], ExitCode]) -> ExitCode:
    """Until the app exists, its main job is done headlessly."""
    from handoff_tui.cli.diagnostics import write_note  # noqa: PLC0415

    arguments.json, arguments.all = False, False
    code = run(arguments)
    write_note(
        "\nThe full-screen desk is not built yet; this is `handoff-tui status`. `handoff-tui --help` lists the verbs."
    )
    return code


def _load(verb: str) -> Command:
    """A verb's module is imported only when it is called: start-up is paid for by what runs."""
    return cast("Command", importlib.import_module(f"handoff_tui.cli.commands.{verb}"))


def _leave_quietly() -> int:
    """The reader of our output has gone (`| head`): that is no failure, and Python must not complain at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return ExitCode.OK
