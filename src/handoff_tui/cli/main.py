"""The command line: its verbs, and the one place that turns failures into exit codes."""

from __future__ import annotations

import argparse
import importlib
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn, Protocol, cast

from handoff_tui import __version__
from handoff_tui.cli.diagnostics import report_bug, write_error
from handoff_tui.cli.exit_codes import ExitCode, find_exit_code
from handoff_tui.cli.plain import silence_output
from handoff_tui.core.errors import HandoffError, UsageError

_VERBS = {
    "status": "List every handoff: where it stands, what blocks it, and whose turn it is",
    "show": "Show one handoff in full: claims beside measurements, documents, tasks, attempts",
    "new": "Begin a handoff from a template that says what to leave behind",
    "cycle": "Accept, complete or fail the work cycle of a hub task",
    "registry": "Bring the builder's registry in line with what people have signed",
    "migrate": "Move the flat files of each builder handoff into a folder of its own",
    "check": "Run the checks: what holds, what fails, and what to do about it",
    "diff": "Show what changed since the baseline: tests, checks, packages, then files",
    "baseline": "List, show, capture or pin the snapshots to compare with",
    "gate": "Show where a gate stands and why, and the digest that a decision binds",
    "decide": "Approve, reject, retry, skip, override, hold, withdraw or carry: check, confirm, sign",
    "coverage": "Show which changed files somebody approved, or who approved which lines of a file",
    "submit": "Hand over work as an agent, signed if it has a key",
    "wait": "Wait for a decision as an agent, then print it with the packet",
    "packet": "Print what the next attempt must know: reasons, comments, failing checks",
    "comments": "List the comments on a handoff as threads: asked, answered, resolved, and where the lines are now",
    "run": "Start and follow a procedure, list or withdraw runs, or test the engine with a profile",
    "worker": "Run the process that executes procedures; `run` starts one when needed",
    "agents": "List installed agent programs and configured agents, or continue an agent's session",
    "step": "Start the agent of a phase, follow it, and check its work",
    "rollback": "Go back to the last approved state: preview, apply, undo",
    "unlock": "List the locks on phases, or break one",
    "history": "Show the attempts at a phase side by side: who, how long, what changed, what was asked",
    "bisect": "Find the commit that broke a check, its author and its diff",
    "compare": "Compare two attempts: results, tests, files, commits, and what was asked for",
    "failure": "Explain a failure: where to look first, its output, and what changed since it passed",
    "log": "List, show, verify, replay or bundle the signed log",
    "metrics": "Print metrics from the log and git: failure rate, time to decision, success by type and rule",
    "export": "Write a self-contained report for an auditor",
    "init": "Start a signed log with a policy built from your git identity and SSH key",
    "keys": "Enroll a key, or list who may sign with which key",
    "policy": "Show, propose, sign or seal the policy that says who may do what",
    "demo": "Build a sample repository and open it",
    "hook": "Answer the hooks of agent hosts such as Claude Code, and install or uninstall them",
    "mcp": "Serve agents over MCP: status, gate, packet, wait, submit, comment; nothing that decides",
    "hooks": "Install or uninstall git hooks that run the checks",
    "doctor": "Find out whether the checks are really enforced: hooks, CI, agent prompts",
    "config": "Show the current settings and where each one comes from",
    "completion": "Print a completion script for bash, zsh or fish",
}

_TABS = ("overview", "changes", "evidence", "documents", "agent", "history")
_CLOSE = 0.75
"""How much a word must be like a verb to be taken for a mistyped one."""
_WITH_VALUE = frozenset({"--repo", "--theme", "--view"})

_EXAMPLES = """\
examples:
  handoff-tui                          open the app on this repository
  handoff-tui --repo A --repo B        open it on several
  handoff-tui H-3 --view changes       open one handoff, in one of its tabs
  handoff-tui --plain                  review in plain text with prompts
  handoff-tui demo                     build and open a sample repository with every format
  handoff-tui status                   list the handoffs of this repository
  handoff-tui show H-3                 show one of them, with claims beside measurements
  handoff-tui status --json | jq .     the same for scripts
"""


argparse._ = lambda text: text  # type: ignore[attr-defined] # it has no other language, yet would look for one


class Command(Protocol):
    """A module in commands/."""

    EXAMPLES: str

    def add_arguments(self, parser: argparse.ArgumentParser) -> None: ...

    def run(self, arguments: argparse.Namespace) -> ExitCode: ...


class OpenApp(Protocol):
    """Opens the full-screen app; passed in, so that the command line runs without Textual."""

    def __call__(
        self,
        starts: Sequence[Path],
        theme: str | None,
        *,
        read_only: bool,
        ascii_only: bool = False,
        opening: tuple[str, str] | None = None,
    ) -> None: ...


class _HelpFormatter(argparse.HelpFormatter):
    """Knows the width of the terminal; argparse would import `shutil` to find out."""

    def __init__(self, prog: str) -> None:
        try:
            columns = int(os.environ.get("COLUMNS") or 0) or os.get_terminal_size(1).columns
        except (OSError, ValueError):
            columns = 80
        super().__init__(prog, width=columns - 2)


class _RawHelpFormatter(_HelpFormatter, argparse.RawDescriptionHelpFormatter):
    """Leaves examples as they are."""


class Parser(argparse.ArgumentParser):
    """Raises UsageError, so that one place prints all errors."""

    def __init__(self, **options: Any) -> None:  # noqa: ANN401 - argparse's own
        super().__init__(**{"formatter_class": _HelpFormatter, **options})

    def error(self, message: str) -> NoReturn:
        raise UsageError(message, f"Run `{self.prog} --help` to see how to call it.")


def main(argv: Sequence[str] | None = None, open_app: OpenApp | None = None) -> int:
    """Runs one verb or opens the app, and returns the exit code. Never ends in a traceback."""
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
    except Exception as fault:  # noqa: BLE001 - the one place that may: a bug gets a report and its own exit code
        report_bug(fault, given)
        return ExitCode.BUG


def build_parser(
    verbs: Sequence[str] = tuple(_VERBS), listed: Sequence[str] = tuple(_VERBS)
) -> argparse.ArgumentParser:
    """Builds the parser. Only the given verbs are loaded; the others are just listed."""
    parser = Parser(
        prog="handoff-tui",
        description="Review what your AI agents hand over, and sign off on it. An approval no agent can make up.",
        epilog=_EXAMPLES,
        formatter_class=_RawHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"handoff-tui {__version__}")
    parser.add_argument(
        "--repo",
        dest="repos",
        action="append",
        type=Path,
        metavar="PATH",
        help="the repository (default: the one around this folder); repeat it to open several in the app",
    )
    parser.add_argument("--theme", metavar="NAME", help="the theme of the app, this time only")
    parser.add_argument("--read-only", action="store_true", help="open the app read-only")
    parser.add_argument(
        "--ascii",
        action="store_true",
        help="draw the app in ASCII, for terminals without its glyphs (also with `ascii = true`, or TERM=linux)",
    )
    parser.add_argument(
        "--plain",
        action="store_true",
        help="review in plain text with prompts, for screen readers and poor connections (also with TERM=dumb)",
    )
    parser.add_argument("--view", choices=_TABS, help="with the id of a handoff: the tab to open")
    children = parser.add_subparsers(dest="verb", metavar="VERB", title="verbs", prog="handoff-tui")
    for verb in listed:
        summary = _VERBS[verb]
        child = children.add_parser(verb, help=summary, description=summary, formatter_class=_RawHelpFormatter)
        if verb in verbs:
            command = _load(verb)
            child.epilog = command.EXAMPLES
            command.add_arguments(child)
    return parser


def _run(given: list[str], open_app: OpenApp | None) -> ExitCode:
    if given and given[0] in _VERBS:  # all that follows is for the verb
        parser = build_parser(given[:1], listed=given[:1])
    else:
        parser = build_parser([word for word in given if word in _VERBS])  # a value may have the name of a verb
    place = _find_handoff(given)
    handoff = given[place] if place is not None else None
    try:
        arguments = parser.parse_args([word for number, word in enumerate(given) if number != place])
    except SystemExit as done:  # --help and --version have printed their text
        return ExitCode.OK if not done.code else ExitCode.USAGE
    repos: list[Path] = arguments.repos or []
    if arguments.verb is None:
        arguments.id = handoff
        return _run_without_verb(arguments, repos, open_app)
    if len(repos) > 1:
        raise UsageError("a verb works on one repository", "Leave the verb out to open several in the app.")
    arguments.repo = getattr(arguments, "repo", next(iter(repos), None))
    arguments.open_app = open_app if _is_at_terminal() else None
    return _load(arguments.verb).run(arguments)


def _find_handoff(given: Sequence[str]) -> int | None:
    """The position of a word in a verb's place that isn't a verb: the id of a handoff to open."""
    place = 0
    while place < len(given):
        word = given[place]
        if not word.startswith("-"):
            break
        place += 2 if word in _WITH_VALUE else 1
    if place >= len(given) or given[place] in _VERBS:
        return None
    from difflib import get_close_matches  # noqa: PLC0415 - most calls have a verb

    if close := get_close_matches(given[place], _VERBS, 1, _CLOSE):
        raise UsageError(f"there is no verb {given[place]!r}", f"Did you mean `handoff-tui {close[0]}`?")
    return place


def _run_without_verb(
    arguments: argparse.Namespace, repos: Sequence[Path | None], open_app: OpenApp | None
) -> ExitCode:
    """Opens the app, or prints the status if there is no terminal."""
    if open_app is not None and _is_at_terminal():
        from handoff_tui.cli.options import find_start  # noqa: PLC0415

        if arguments.view and arguments.id is None:
            raise UsageError("--view opens a tab of one handoff", "Name the handoff: `handoff-tui H-3 --view changes`.")
        arguments.repo = None
        starts = [path for path in repos if path] or [find_start(arguments)]
        if arguments.plain or os.environ.get("TERM") == "dumb":
            return _review_plainly(starts, read_only=arguments.read_only)
        _require_repository(starts)
        opening = (arguments.id, arguments.view or _TABS[0]) if arguments.id is not None else None
        open_app(starts, arguments.theme, read_only=arguments.read_only, ascii_only=arguments.ascii, opening=opening)
        return ExitCode.OK
    from handoff_tui.cli.diagnostics import write_note  # noqa: PLC0415

    code = ExitCode.OK
    arguments.json, arguments.all = False, False
    verb = "status" if arguments.id is None else "show"
    arguments = build_parser([verb]).parse_args([verb, *([arguments.id] if arguments.id else [])])
    for start in repos or [None]:
        arguments.repo = start
        code = max(code, _load(verb).run(arguments))
    write_note(f"\nThe app needs a terminal; this is `handoff-tui {verb}`. `handoff-tui --help` lists the verbs.")
    return code


def _require_repository(starts: Sequence[Path]) -> None:
    """Refuses before the app opens if there is no repository; git is asked only where no folder looks like one."""
    if not any(
        (folder / ".git").exists() for start in starts for folder in (start.absolute(), *start.absolute().parents)
    ):
        from handoff_tui.handoffs.session import open_session  # noqa: PLC0415 - the app opens it after the first paint

        open_session(starts[0])


def _review_plainly(starts: Sequence[Path], *, read_only: bool) -> ExitCode:
    from handoff_tui.cli.plain_desk import run_plain_desk  # noqa: PLC0415 - the app does without it

    if len(starts) > 1:
        raise UsageError("--plain reviews one repository at a time", "Name one with --repo.")
    return run_plain_desk(starts[0], main, read_only=read_only)


def _is_at_terminal() -> bool:
    return sys.stdin is not None and sys.stdin.isatty() and sys.stdout.isatty()


def _load(verb: str) -> Command:
    """Imports the module of a verb, and no other, to keep start-up fast."""
    return cast("Command", importlib.import_module(f"handoff_tui.cli.commands.{verb}"))


def _leave_quietly() -> int:
    """Ends without an error: the reader of our output is gone (`| head`), and Python must not complain at exit."""
    silence_output()
    return ExitCode.OK
