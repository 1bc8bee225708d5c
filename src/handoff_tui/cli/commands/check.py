"""`check`: runs the checks and says whether work may pass.

What the last run said is said again, at once, when nothing has moved since; so everything heavy is imported later.
"""

from __future__ import annotations

import argparse
import gc
import os
import shutil
import sys

from handoff_tui.checks.run.recall import Recall
from handoff_tui.cli.diagnostics import write_note
from handoff_tui.cli.exit_codes import ExitCode
from handoff_tui.cli.options import add_at_option, add_reading_options, find_start
from handoff_tui.cli.plain import write_plain
from handoff_tui.core.pause_collection import without_collection

FORMATS = ("text", "json", "jsonl", "junit", "sarif", "tap", "github", "markdown")

_EXAMPLES = """\
examples:
  handoff-tui check                          every check, on everything
  handoff-tui check --pre                    before handing over: exit 0 or 1
  handoff-tui check --handoff H-3 --fresh    one handoff, nothing from the cache
  handoff-tui check --gate review --format sarif > results.sarif
  handoff-tui check --list                   what would run, and the digest of the repository's own commands
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EXAMPLES
    moments = parser.add_mutually_exclusive_group()
    moments.add_argument("--pre", dest="moment", action="store_const", const="pre", help="before an agent hands over")
    moments.add_argument(
        "--post", dest="moment", action="store_const", const="post", help="after the next one took over"
    )
    moments.add_argument("--gate", metavar="PHASE", help="at the gate of a phase")
    parser.add_argument("--handoff", metavar="ID", help="only this handoff")
    parser.add_argument(
        "--only", metavar="CHECK", action="append", default=[], help="only this check (may be repeated)"
    )
    parser.add_argument(
        "--except",
        dest="excluded",
        metavar="CHECK",
        action="append",
        default=[],
        help="not this check (may be repeated)",
    )
    parser.add_argument("--baseline", metavar="REV", help="compare with this commit")
    parser.add_argument("--fresh", action="store_true", help="use no earlier result")
    parser.add_argument(
        "--network", action="store_true", help="consent to asking claimed deployments whether they answer"
    )
    parser.add_argument("--format", choices=FORMATS, default="text", help="how to print the results (default: text)")
    parser.add_argument("--list", action="store_true", help="list the checks that would run, and run none")
    parser.add_argument("--trust", metavar="DIGEST", help="trust the repository's own commands that have this digest")
    add_at_option(parser)
    add_reading_options(parser)


def run(arguments: argparse.Namespace) -> ExitCode:
    if arguments.list or arguments.trust or arguments.network or arguments.at is not None:
        return _run_now(arguments, None)
    recall = Recall(find_start(arguments), _build_question(arguments))
    known = None if arguments.fresh else recall.find()
    if known is None:
        return _run_now(arguments, recall)
    text, code, age = known
    write_plain(text)
    if sys.stderr.isatty():
        write_note(f"nothing has changed since these checks ran {age:.0f} s ago; --fresh runs them again")
    return ExitCode(code)


def _run_now(arguments: argparse.Namespace, recall: Recall | None) -> ExitCode:
    if recall is not None:  # git lists every path while everything heavy is imported
        recall.look.begin_listing()
    with without_collection():
        from handoff_tui.cli.check_run import run_checks  # noqa: PLC0415 - only a run that must happen pays for it
    gc.freeze()  # what was imported stays, and later collections pass over it

    return run_checks(arguments, recall)


def _build_question(arguments: argparse.Namespace) -> list[str]:
    """Everything that shapes the answer: the words of the call, and how the terminal draws."""
    asked = {name: value for name, value in vars(arguments).items() if name not in {"repo", "fresh", "verb"}}
    drawn = {name: os.environ.get(name) for name in ("NO_COLOR", "FORCE_COLOR", "TERM", "COLORTERM")}
    width = shutil.get_terminal_size((0, 0)).columns
    return [repr(sorted(asked.items())), repr(sorted(drawn.items())), str(width), str(sys.stdout.isatty())]
