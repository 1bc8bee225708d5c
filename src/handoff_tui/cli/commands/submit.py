"""`submit ID`: hands over work as an agent."""

from __future__ import annotations

import argparse
from pathlib import Path

from handoff_tui.cli.exit_codes import ExitCode
from handoff_tui.cli.options import add_handoff_argument, add_output_options, add_phase_option, open_named_session
from handoff_tui.cli.output import write_result
from handoff_tui.cli.progress import following
from handoff_tui.core.errors import UsageError
from handoff_tui.decisions.correct_scope import ScopeRequest, state_scope
from handoff_tui.decisions.examine import build_gate_view
from handoff_tui.decisions.pages.gate import build_submit_json, build_submit_page
from handoff_tui.decisions.submit import submit
from handoff_tui.log.open_log import open_log

EXAMPLES = """\
examples:
  handoff-tui submit H-3                     run the gate's checks, and say what a reviewer will decide on
  handoff-tui submit H-3 --sign              and record it, signed with the key in your git configuration
  handoff-tui submit H-3 --key agent_key     the same with this key
  handoff-tui submit H-3 --since v1 --path src/lamp --path docs/lamp.md --write
                                             say which changes are H-3's work: those after v1 in these paths

exit: 0 handed over, 1 handed over although blocking checks fail, 3 the log is not intact, 4 can't sign
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_handoff_argument(parser)
    add_phase_option(parser)
    parser.add_argument("--sign", action="store_true", help="add a signed submission to the log")
    parser.add_argument("--key", type=Path, metavar="FILE", help="sign with this key")
    parser.add_argument(
        "--since", metavar="COMMIT", help="the changes after this commit are its work (default: from where it began)"
    )
    parser.add_argument(
        "--path",
        action="append",
        default=[],
        metavar="PATH",
        help="only changes of this file, or below this folder, seen from the top of the repository (repeatable)",
    )
    parser.add_argument("--write", action="store_true", help="put that scope into handoff-tui.toml, for everybody")
    add_output_options(parser)


def run(arguments: argparse.Namespace) -> ExitCode:
    scope = ScopeRequest(arguments.since, tuple(arguments.path), arguments.write)
    if arguments.write and not scope.is_given:
        raise UsageError("--write needs a scope", "Say which changes with --since, --path or both.")
    session, signed = open_named_session(arguments), arguments.sign or arguments.key is not None
    stated = state_scope(session, arguments.id, scope, signed=signed) if scope.is_given else None
    session = session if stated is None else stated.session
    with following() as progress:
        done = submit(
            session,
            open_log(session.repository),
            arguments.id,
            arguments.phase,
            signed=signed,
            key_file=arguments.key,
            telling=progress,
        )
    view = build_gate_view(done.examined)
    write_result(arguments, build_submit_json, build_submit_page, view, done.entry, stated)
    if done.examined.index.verdict.fatal:
        return ExitCode.INTEGRITY
    return ExitCode.BLOCKED if view.failing else ExitCode.OK
