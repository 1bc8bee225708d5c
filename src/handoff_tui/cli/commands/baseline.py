"""`baseline list|show|capture|pin`: snapshots of the repository to compare with later."""

from __future__ import annotations

import argparse

from handoff_tui.changes.snapshots import page
from handoff_tui.changes.snapshots.stored_snapshots import capture, list_newest_first, pin, show_snapshot
from handoff_tui.cli.diagnostics import write_note
from handoff_tui.cli.exit_codes import ExitCode
from handoff_tui.cli.options import (
    add_child,
    add_json_option,
    add_reading_options,
    add_repository_option,
    open_named_session,
)
from handoff_tui.cli.output import write_json, write_page, write_result, write_text
from handoff_tui.cli.progress import following
from handoff_tui.core.errors import UsageError
from handoff_tui.core.short_id import SHORT_DIGEST
from handoff_tui.handoffs.session import Session
from handoff_tui.log.person import require_person

EXAMPLES = """\
examples:
  handoff-tui baseline capture               store the current state below .handoff-tui/baselines/
  handoff-tui baseline list                  list the stored snapshots
  handoff-tui baseline show 3f9a1c           show one of them, by the beginning of its digest
  handoff-tui baseline pin 3f9a1c            compare with this one from now on
  handoff-tui baseline pin 3f9a1c --handoff H-3
  handoff-tui baseline pin --none            compare with the last approved one again

A snapshot is exact: the git tree including uncommitted changes, tests by id, checks, packages and hashes.
Nothing is written to git's objects. Commit .handoff-tui/baselines/ to share it.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    children = parser.add_subparsers(dest="what", metavar="WHAT", required=True)
    listing = add_child(children, "list", "list the stored snapshots")
    _add_json_options(listing)
    one = add_child(children, "show", "show one snapshot")
    one.add_argument("digest", metavar="DIGEST", help="at least its first 6 digits")
    add_reading_options(one)
    taking = add_child(children, "capture", "take a snapshot and store it")
    _add_json_options(taking)
    pinning = add_child(children, "pin", "choose what to compare with")
    pinning.add_argument("digest", metavar="DIGEST", nargs="?", help="at least its first 6 digits")
    pinning.add_argument("--none", action="store_true", help="remove the pin")
    pinning.add_argument("--handoff", metavar="ID", help="only for this handoff")
    _add_json_options(pinning)


def _add_json_options(parser: argparse.ArgumentParser) -> None:
    add_repository_option(parser)
    add_json_option(parser)


def run(arguments: argparse.Namespace) -> ExitCode:
    session = open_named_session(arguments)
    if arguments.what == "list":
        return _list(session, arguments)
    if arguments.what == "pin":
        return _pin(session, arguments)
    if arguments.what == "capture":
        return _capture(session, arguments)
    summary, snapshot = show_snapshot(session, arguments.digest)
    write_result(
        arguments,
        page.build_baseline_show_json,
        page.build_baseline_show_page,
        summary,
        snapshot,
        everything=arguments.all,
    )
    return ExitCode.OK


def _list(session: Session, arguments: argparse.Namespace) -> ExitCode:
    stored = list_newest_first(session)
    write_result(arguments, page.build_baseline_list_json, page.build_baseline_list_page, *stored)
    return ExitCode.OK


def _capture(session: Session, arguments: argparse.Namespace) -> ExitCode:
    with following() as progress:
        summary, snapshot, is_new = capture(session, progress)
    if arguments.json:
        write_json(page.build_baseline_show_json(summary, snapshot))
        return ExitCode.OK
    write_page(page.build_baseline_capture_page(summary, snapshot, is_new=is_new))
    short = summary.digest[:SHORT_DIGEST]
    write_note(f"`handoff-tui baseline show {short}` shows it in full; `baseline pin {short}` compares with it.")
    return ExitCode.OK


def _pin(session: Session, arguments: argparse.Namespace) -> ExitCode:
    if (arguments.digest is None) != arguments.none:
        raise UsageError("name a snapshot, or use --none", "`handoff-tui baseline list` lists the snapshots.")
    require_person("choose what work is compared with")
    for_whom, digest = pin(session, arguments.digest, arguments.handoff)
    if arguments.json:
        write_json(page.build_pin_json(for_whom, digest))
        return ExitCode.OK
    whose = "every handoff" if for_whom == "*" else for_whom
    if digest is None:
        write_text(f"{whose}: compared with the last approved snapshot again")
    else:
        write_text(f"{whose}: compared with {digest[:SHORT_DIGEST]} from now on, on this machine")
    return ExitCode.OK
