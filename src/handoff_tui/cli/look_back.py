"""`--at`: a reading verb on the repository as it was at a commit or log entry."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager

from handoff_tui.cli.exit_codes import ExitCode
from handoff_tui.cli.options import find_start
from handoff_tui.cli.output import write_json, write_page
from handoff_tui.handoffs.session import open_session_to_look
from handoff_tui.history.travel.travel import Traveller
from handoff_tui.history.travel.values import Stop, add_banner, build_stop_json
from handoff_tui.status.show_page import build_show_json, build_show_page
from handoff_tui.status.status_page import build_status_json, build_status_page


@contextmanager
def open_past(arguments: argparse.Namespace) -> Iterator[tuple[Traveller, Stop]]:
    """The reader of the past, and the stop that was named."""
    traveller = Traveller(open_session_to_look(find_start(arguments)))
    try:
        yield traveller, traveller.find_stop(arguments.at)
    finally:
        traveller.close()


def run_status_at(arguments: argparse.Namespace) -> ExitCode:
    with open_past(arguments) as (traveller, stop):
        then = traveller.visit(stop)
    if arguments.json:
        write_json({**build_status_json(then.state), "at": build_stop_json(then)})
    else:
        page = build_status_page(then.state, everything=arguments.all, past=arguments.past, of_then=True)
        write_page(add_banner(page, then.stop, then.notes))
    return ExitCode.OK


def run_show_at(arguments: argparse.Namespace) -> ExitCode:
    with open_past(arguments) as (traveller, stop):
        then, shown = traveller.visit(stop), traveller.show(stop, arguments.id)
    if arguments.json:
        write_json({**build_show_json(shown), "at": build_stop_json(then)})
    else:
        page = build_show_page(shown, everything=arguments.all)
        write_page(add_banner(page, then.stop, then.notes))
    return ExitCode.OK
