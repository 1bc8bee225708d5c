"""`check`: runs the checks and says whether anything blocks the work.

If nothing has changed since the last run, its answer is printed again at once; so everything heavy is imported later.
"""

from __future__ import annotations

import argparse
import gc

from handoff_tui.checks.run.output_cache import OutputCache
from handoff_tui.cli.exit_codes import ExitCode
from handoff_tui.cli.options import add_at_option, add_reading_options
from handoff_tui.cli.remembered import open_cache, repeat
from handoff_tui.core.pause_collection import without_collection

FORMATS = ("text", "json", "jsonl", "junit", "sarif", "tap", "github", "markdown")

EXAMPLES = """\
examples:
  handoff-tui check                          run every check on everything
  handoff-tui check --pre                    before handing over; exit 0 or 1
  handoff-tui check --handoff H-3 --fresh    one handoff, without cached results
  handoff-tui check --gate review --format sarif > results.sarif
  handoff-tui check --list                   what would run, and the digest of the repository's own commands

exit: 0 nothing blocks, 1 blocked
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    moments = parser.add_mutually_exclusive_group()
    moments.add_argument("--pre", dest="moment", action="store_const", const="pre", help="before an agent hands over")
    moments.add_argument(
        "--post", dest="moment", action="store_const", const="post", help="after the next agent has taken over"
    )
    moments.add_argument("--gate", metavar="PHASE", help="at the gate of a phase")
    parser.add_argument("--handoff", metavar="ID", help="check only this handoff")
    parser.add_argument("--only", metavar="CHECK", action="append", default=[], help="run only this check (repeatable)")
    parser.add_argument(
        "--except",
        dest="excluded",
        metavar="CHECK",
        action="append",
        default=[],
        help="leave out this check (repeatable)",
    )
    parser.add_argument("--baseline", metavar="REV", help="compare with this commit")
    parser.add_argument("--fresh", action="store_true", help="ignore cached results")
    parser.add_argument(
        "--network", action="store_true", help="allow network access: ask deployments and remotes whether they answer"
    )
    parser.add_argument("--format", choices=FORMATS, default="text", help="the output format (default: text)")
    parser.add_argument("--list", action="store_true", help="list the checks that would run, without running them")
    parser.add_argument(
        "--trust", metavar="DIGEST", help="consent to run this repository's own commands, named by their digest"
    )
    parser.add_argument(
        "--grant",
        metavar="NAME",
        action="append",
        default=[],
        help="with --trust: what the commands may reach beyond the reviewed files, such as network (repeatable)",
    )
    add_at_option(parser)
    add_reading_options(parser)


def run(arguments: argparse.Namespace) -> ExitCode:
    if arguments.list or arguments.trust or arguments.grant or arguments.network or arguments.at is not None:
        return _run_now(arguments, None)
    recall = open_cache(arguments)
    known = None if arguments.fresh else repeat(recall, "--fresh runs them again.")
    return _run_now(arguments, recall) if known is None else known


def _run_now(arguments: argparse.Namespace, recall: OutputCache | None) -> ExitCode:
    if recall is not None:  # git lists the paths while everything heavy is imported
        recall.look.begin_listing()
    with without_collection():
        from handoff_tui.cli.fresh.check import run_checks  # noqa: PLC0415 - only a real run needs it
    gc.freeze()  # modules stay, so later collections can skip them

    return run_checks(arguments, recall)
