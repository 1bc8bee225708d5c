"""`comments ID`: lists the comments on a handoff as threads, carried to where their lines are now."""

from __future__ import annotations

import argparse

from handoff_tui.cli.exit_codes import ExitCode
from handoff_tui.cli.options import add_handoff_argument, add_phase_option, add_reading_options, open_named_session
from handoff_tui.cli.output import write_result
from handoff_tui.cli.progress import following
from handoff_tui.decisions.examine import WITHOUT_COMMANDS, examine
from handoff_tui.decisions.pages.threads import build_threads_json, build_threads_page
from handoff_tui.decisions.threads import list_threads
from handoff_tui.log.open_log import open_log

EXAMPLES = """\
examples:
  handoff-tui comments H-3            open threads: what was asked, what was answered, where the lines are now
  handoff-tui comments H-3 --all      resolved ones as well

Reply with the next decision: a paragraph `@1a2b3c4d.1: text` in its file of comments; `@1a2b3c4d.1 resolved` settles
the thread.

exit: 0, or 3 if the log is not intact and comments may be missing
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_handoff_argument(parser)
    add_phase_option(parser)
    add_reading_options(parser)


def run(arguments: argparse.Namespace) -> ExitCode:
    session = open_named_session(arguments)
    with following() as progress:
        log = open_log(session.repository)
        examined = examine(session, log, arguments.id, arguments.phase, WITHOUT_COMMANDS, progress)
    place = examined.key.place
    threads = list_threads(session, examined.index, place, examined.work_tree)
    write_result(arguments, build_threads_json, build_threads_page, place, threads, everything=arguments.all)
    return ExitCode.INTEGRITY if examined.index.verdict.fatal else ExitCode.OK
