"""`show ID`: shows one handoff in full, with claims beside measurements."""

from __future__ import annotations

import argparse

from handoff_tui.checks.run.recheck import CheckAgain
from handoff_tui.cli.diagnostics import write_note
from handoff_tui.cli.exit_codes import ExitCode
from handoff_tui.cli.options import add_at_option, add_handoff_argument, add_reading_options, find_start
from handoff_tui.cli.output import write_json, write_page, write_picture, write_result
from handoff_tui.core.errors import HandoffError, UsageError
from handoff_tui.handoffs.handoff import Handoff
from handoff_tui.handoffs.session import Session, open_session_to_look
from handoff_tui.status.refresh import refresh_all
from handoff_tui.status.show import show
from handoff_tui.status.show_page import build_show_json, build_show_page

EXAMPLES = """\
examples:
  handoff-tui show H-3
  handoff-tui show mosaic --all
  handoff-tui show T007 --proofs       proofs of work by task, with screenshots drawn in the terminal
  handoff-tui show H-3 --json | jq '.claims[] | select(.verdict == "contradicted")'
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_handoff_argument(parser)
    parser.add_argument(
        "--proofs", action="store_true", help="show its proofs of work with digests, and draw screenshots"
    )
    add_at_option(parser)
    add_reading_options(parser)


def run(arguments: argparse.Namespace) -> ExitCode:
    if arguments.at is not None:
        return _show_past(arguments)
    session = open_session_to_look(find_start(arguments))
    shown = show(session, refresh_all(session, CheckAgain()), arguments.id)
    if arguments.proofs:
        return _show_proofs(session, shown.reviewed.handoff, as_json=arguments.json)
    write_result(arguments, build_show_json, build_show_page, shown, everything=arguments.all)
    session.loaded.refuse_judging()
    return ExitCode.OK


def _show_past(arguments: argparse.Namespace) -> ExitCode:
    from handoff_tui.cli.look_back import run_show_at  # noqa: PLC0415 - few ask about the past

    if arguments.proofs:
        raise UsageError("proofs can only be shown as they are now", "Leave out --at or --proofs.")
    return run_show_at(arguments)


def _show_proofs(session: Session, handoff: Handoff, *, as_json: bool) -> ExitCode:
    """Prints every proof by task, and draws the pictures."""
    from handoff_tui.agents.proofs import build_proofs_json, build_proofs_page, list_proofs, read_picture  # noqa: PLC0415

    tasks = list_proofs(session, handoff)
    if as_json:
        write_json({"schema": "handoff-tui/proofs/v1", "handoff": handoff.id, "proofs": build_proofs_json(tasks)})
        return ExitCode.OK
    write_page(build_proofs_page(handoff.id, tasks))
    for proof in (proof for task in tasks for proof in task.proofs if proof.path.lower().endswith(".png")):
        try:
            picture = read_picture(session, proof.path)
        except HandoffError as refused:
            write_note(f"{proof.path} can't be drawn: {refused.message}")
        else:
            write_picture(proof.path, picture)
    return ExitCode.OK
