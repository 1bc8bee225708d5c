"""The command line: verbs, and one place that turns failures into exit codes."""

from __future__ import annotations

import argparse
import importlib
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn, Protocol, cast

from handoff_tui import __version__
from handoff_tui.cli.diagnostics import write_bug, write_error
from handoff_tui.cli.exit_codes import ExitCode, find_exit_code
from handoff_tui.cli.plain import silence_output
from handoff_tui.core.errors import HandoffError, UsageError

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
    "run": "a procedure of many steps: start and watch it, list, withdraw; or try the engine by a profile",
    "worker": "the process that procedures run in; `run` starts one by itself",
    "step": "start the agent of a phase, follow it, and see what became of its work",
    "rollback": "back to what was last approved: shown, saved, undone on request",
    "unlock": "locks of phases: shown; broken on request",
    "history": "the attempts at a phase side by side: who, how long, what flipped, what was asked for",
    "bisect": "since when a check fails: the commit, its author, and the diff that did it",
    "compare": "two attempts: results, tests, files, commits, what was asked for and what became of it",
    "failure": "why it fails: what to look at first, its output, what changed since it passed, who met it before",
    "log": "the signed log: list, show, verify, replay, bundle",
    "metrics": "figures from the log and git: failure rate, time to decision, success by type and rule, debts",
    "export": "a report for an auditor, in one file that needs nothing else",
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
  handoff-tui                          opens the desk on this repository
  handoff-tui --repo A --repo B        on several
  handoff-tui demo                     a sample repository with every format, built and opened
  handoff-tui status                   the handoffs of this repository
  handoff-tui show H-3                 one of them, claims beside measurements
  handoff-tui status --json | jq .     the same for scripts
"""


class Command(Protocol):
    """A module in commands/."""

    def add_arguments(self, parser: argparse.ArgumentParser) -> None: ...

    def run(self, arguments: argparse.Namespace) -> ExitCode: ...


class OpenApp(Protocol):
    """Opens the full-screen desk; given by whoever may load it."""

    def __call__(self, starts: Sequence[Path], theme: str | None, *, read_only: bool) -> None: ...


class Parser(argparse.ArgumentParser):
    """Usage errors become UsageError, so that one place writes them."""

    def error(self, message: str) -> NoReturn:
        raise UsageError(message, f"{self.prog} --help shows how to call it.")


def main(argv: Sequence[str] | None = None, open_app: OpenApp | None = None) -> int:
    """Runs one verb, or opens the app, and returns the exit code; nothing escapes as a traceback."""
    given = list(sys.argv[1:] if argv is None else argv)
    try:
        return int(_run(given, open_app))
    except HandoffError as expected:
        write_error(expected)
        return find_exit_code(expected)
    except KeyboardInterrupt:
        return ExitCode.INTERRUPTED
    except BrokenPipeError:
        return _leave_quietly()
    except Exception as fault:  # noqa: BLE001 - the one place that may: a fault of ours gets a report and its own code
        from handoff_tui.cli.report_bug import report_bug  # noqa: PLC0415

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
        "--repo",
        dest="repos",
        action="append",
        type=Path,
        metavar="PATH",
        help="the repository (default: the one around this folder); several for the desk",
    )
    parser.add_argument("--theme", metavar="NAME", help="the desk's theme, for this time")
    parser.add_argument("--read-only", action="store_true", help="open the desk for looking only")
    children = parser.add_subparsers(dest="verb", metavar="VERB", title="verbs")
    for verb, summary in _VERBS.items():
        child = children.add_parser(
            verb, help=summary, description=summary, formatter_class=argparse.RawDescriptionHelpFormatter
        )
        if verb in verbs:
            _load(verb).add_arguments(child)
    return parser


def _run(given: list[str], open_app: OpenApp | None) -> ExitCode:
    if given == ["--version"]:  # needs no parser, and is asked often by other programs
        from handoff_tui.cli.output import write_text  # noqa: PLC0415

        write_text(f"handoff-tui {__version__}")
        return ExitCode.OK
    parser = build_parser([word for word in given if word in _VERBS])  # a value may be called like a verb
    try:
        arguments = parser.parse_args(given)
    except SystemExit as done:  # --help and --version have printed and want to leave
        return ExitCode.OK if not done.code else ExitCode.USAGE
    repos: list[Path] = arguments.repos or []
    if arguments.verb is None:
        return _run_without_verb(arguments, repos, open_app)
    if len(repos) > 1:
        raise UsageError("a verb works on one repository", "Several are for the desk: leave the verb out.")
    arguments.repo = getattr(arguments, "repo", next(iter(repos), None))
    arguments.open_app = open_app if _is_at_terminal() else None
    return _load(arguments.verb).run(arguments)


def _run_without_verb(
    arguments: argparse.Namespace, repos: Sequence[Path | None], open_app: OpenApp | None
) -> ExitCode:
    """The desk; where there is no terminal for it, its main job is done in plain text."""
    if open_app is not None and _is_at_terminal():
        from handoff_tui.cli.options import find_start  # noqa: PLC0415

        arguments.repo = None
        open_app(
            [path for path in repos if path] or [find_start(arguments)], arguments.theme, read_only=arguments.read_only
        )
        return ExitCode.OK
    from handoff_tui.cli.diagnostics import write_note  # noqa: PLC0415

    code = ExitCode.OK
    arguments.json, arguments.all = False, False
    for start in repos or [None]:
        arguments.repo = start
        code = max(code, _load("status").run(arguments))
    write_note("\nThe desk needs a terminal; this is `handoff-tui status`. `handoff-tui --help` lists the verbs.")
    return code


def _is_at_terminal() -> bool:
    return sys.stdin is not None and sys.stdin.isatty() and sys.stdout.isatty()


def _load(verb: str) -> Command:
    """A verb's module is imported only when it is called: start-up is paid for by what runs."""
    return cast("Command", importlib.import_module(f"handoff_tui.cli.commands.{verb}"))


def _leave_quietly() -> int:
    """The reader of our output has gone (`| head`): that is no failure, and Python must not complain at exit."""
    silence_output()
    return ExitCode.OK
