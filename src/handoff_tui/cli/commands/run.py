"""`run`: starts and follows procedures, and tests the engine with profiles."""

from __future__ import annotations

import argparse

from handoff_tui.agents.procedures import page
from handoff_tui.agents.procedures.report import ProcedureRun, ProcedureState
from handoff_tui.cli.diagnostics import clear_progress, counting, write_note, write_progress
from handoff_tui.cli.exit_codes import ExitCode
from handoff_tui.cli.options import add_output_options, add_phase_option, open_named_session
from handoff_tui.cli.output import write_result, write_text
from handoff_tui.core.errors import UsageError
from handoff_tui.handoffs.session import Session
from handoff_tui.log.person import require_person

EXAMPLES = """\
examples:
  handoff-tui run PHASE_TRANSITION_STANDARD --handoff H-3   start it, or follow the one that is running
  handoff-tui run hub --handoff T-7                         carry a handoff through its pipeline, gate by gate
  handoff-tui run --list                                    the runs, with metrics by procedure and rule
  handoff-tui run --show RUN                                one run, attempt by attempt
  handoff-tui run --withdraw RUN                            end it and undo what it did
  handoff-tui run --profile RELIABILITY_STANDARD            test the engine with many runs

exit: 0 completed (a profile: it held), 1 failed or rolled back, 5 waits for a person or is not done yet
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "procedure", metavar="PROCEDURE", nargs="?", help="a procedure or a pipeline from the configuration"
    )
    parser.add_argument("--handoff", metavar="ID", help="the handoff (default: the only one)")
    add_phase_option(parser)
    parser.add_argument("--again", action="store_true", help="start again after a run that stopped for a person")
    parser.add_argument("--no-wait", action="store_true", help="start the run without following it")
    parser.add_argument("--timeout", type=float, metavar="S", help="follow it for at most this many seconds")
    others = parser.add_mutually_exclusive_group()
    others.add_argument("--profile", metavar="NAME", help="test the engine with a reliability profile")
    others.add_argument("--list", action="store_true", help="list the runs")
    others.add_argument("--show", metavar="RUN", help="show one run")
    others.add_argument("--withdraw", metavar="RUN", help="end a run and undo what it did")
    others.add_argument(
        "--trust", metavar="DIGEST", help="consent to run this repository's own agents, named by their digest"
    )
    add_output_options(parser)


def run(arguments: argparse.Namespace) -> ExitCode:
    session = open_named_session(arguments)
    if arguments.profile:
        return _run_profile(arguments, session)
    if arguments.trust:
        from handoff_tui.agents.consent import trust_procedures  # noqa: PLC0415

        require_person("consent to agents")
        trust_procedures(session, arguments.trust)
        write_text("Consent stored: the agents of this repository's procedures may run.")
        return ExitCode.OK
    if arguments.list:
        return _list(arguments, session)
    if arguments.show or arguments.withdraw:
        return _look(arguments, session)
    if not arguments.procedure:
        settings = session.loaded.settings
        known = f"Procedures: {', '.join(settings.procedures.procedures)}. Pipelines: {', '.join(settings.pipelines)}."
        raise UsageError("name a procedure or a pipeline, or use --list, --show, --withdraw or --profile", known)
    return _submit(arguments, session)


def _submit(arguments: argparse.Namespace, session: Session) -> ExitCode:
    from handoff_tui.agents.procedures import run as runs  # noqa: PLC0415 - the engine is an extra

    request = runs.build_request(session, arguments.procedure, arguments.handoff, arguments.phase)
    with runs.open_engine(session) as engine:
        maximum = session.loaded.settings.procedures.concurrent_maximum
        found = runs.submit_run(engine, request, maximum, again=arguments.again)
        following = runs.FollowOptions(
            arguments.timeout,
            arguments.no_wait,
            lambda run: write_progress(page.build_follow_line(run)),
            runs.WorkerStarter(session),
        )
        if not found.finished:
            try:
                found = runs.follow_run(engine, found, following)
            finally:
                clear_progress()
    if found.state is ProcedureState.PENDING:
        write_note(f"No worker has started it yet; {runs.find_worker_log(session)} may say why.")
    return _show(arguments, found)


def _list(arguments: argparse.Namespace, session: Session) -> ExitCode:
    from handoff_tui.agents.engine.listing import read_runs  # noqa: PLC0415

    write_result(arguments, page.build_runs_json, page.build_runs_page, read_runs(session))
    return ExitCode.OK


def _look(arguments: argparse.Namespace, session: Session) -> ExitCode:
    from handoff_tui.agents.procedures.run import (  # noqa: PLC0415
        WorkerStarter,
        find_run,
        open_engine,
        withdraw_run,
    )

    with open_engine(session) as engine:
        if arguments.show:
            return _show(arguments, find_run(engine, arguments.show))
        found = withdraw_run(engine, arguments.withdraw)
    if not found.finished:
        WorkerStarter(session)()
        write_note("Asked it to end. `handoff-tui run --show` says when it has.")
    return _show(arguments, found)


def _run_profile(arguments: argparse.Namespace, session: Session) -> ExitCode:
    from handoff_tui.agents.engine.profile import (  # noqa: PLC0415 - the engine is an extra
        build_profile_json,
        build_profile_page,
        run_profile,
    )

    with counting("runs") as tell:
        report = run_profile(session.loaded.settings, arguments.profile, arguments.procedure, tell)
    write_result(arguments, build_profile_json, build_profile_page, report)
    return ExitCode.OK if report.held else ExitCode.BLOCKED


def _show(arguments: argparse.Namespace, found: ProcedureRun) -> ExitCode:
    write_result(arguments, page.build_run_json, page.build_run_page, found)
    if not found.finished:
        return ExitCode.STILL_PENDING
    return ExitCode.OK if found.state is ProcedureState.COMPLETED else ExitCode.BLOCKED
