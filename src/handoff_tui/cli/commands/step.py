"""`step [PHASE] [--handoff ID]`: starts the agent of a phase, follows it, and checks its work."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager

from handoff_tui.agents.consent import build_agent_trust, list_phase_agents, trust_agents
from handoff_tui.agents.notify import build_notification, notify, send_to_terminal
from handoff_tui.agents.runs.branches import find_overlaps, merge_work, preview_merge
from handoff_tui.agents.runs.phase_locks import list_locks
from handoff_tui.agents.runs.run import AGENT_STEP
from handoff_tui.agents.runs.worktrees import list_worktrees
from handoff_tui.agents.step import page
from handoff_tui.agents.step.end import finish_step
from handoff_tui.agents.step.prepare import PreparedStep, StepRequest, choose_handoff, prepare_step
from handoff_tui.agents.step.report import RunView, StepOutcome, StepReport
from handoff_tui.agents.step.step import (
    StepCallbacks,
    build_prompt,
    find_active,
    find_last,
    follow,
    inject_note,
    is_running,
    list_views,
    pause_step,
    resume_step,
    start_step,
    step,
    stop_step,
)
from handoff_tui.cli.diagnostics import write_note, write_progress
from handoff_tui.cli.exit_codes import ExitCode
from handoff_tui.cli.options import add_reading_options, open_named_session
from handoff_tui.cli.output import write_json, write_page, write_result, write_text
from handoff_tui.cli.progress import following
from handoff_tui.core.short_id import SHORT_DIGEST
from handoff_tui.core.text.safe_text import render_safe_lines
from handoff_tui.handoffs.session import Session
from handoff_tui.log.person import ask_person, require_person

EXAMPLES = """\
examples:
  handoff-tui step --list                    agents, locks, and how earlier runs ended
  handoff-tui step --handoff H-3             start the agent whose turn it is
  handoff-tui step GREEN --handoff TDD-2     start the agent of this phase
  handoff-tui step --back --handoff TDD-2    start the agent of the previous phase
  handoff-tui step --handoff H-3 --note "Keep the public names."
  handoff-tui step --handoff H-3 --detach    start it and return; --attach follows it and checks its work
  handoff-tui step --merge --handoff H-3     merge the branch of its work tree, once it is approved
  handoff-tui step --stop                    asks it to stop, then kills it; see also --pause and --resume

A step decides nothing. `decide` opens gates; `decide skip` leaves out a phase.

exit: 0 ready for a person or the next phase, 1 failed or needs a person, 130 stopped
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("phase", metavar="PHASE", nargs="?", help="the phase (default: the one whose turn it is)")
    parser.add_argument("--handoff", metavar="ID", help="the handoff, as listed by `handoff-tui status`")
    parser.add_argument("--back", action="store_true", help="go back to the previous phase")
    parser.add_argument(
        "--note", metavar="TEXT", help="a note for the agent that is running, or for the one about to start"
    )
    parser.add_argument("--loop", action="store_true", help="go on along the pipeline until it needs a person")
    parser.add_argument("--beyond-budget", action="store_true", help="allow one more attempt than the retry budget")
    parser.add_argument(
        "--trust",
        metavar="DIGEST",
        help="consent to run the agents that this repository configures, named by their digest",
    )
    what = parser.add_mutually_exclusive_group()
    for name, words in (
        ("list", "list agents, locks and runs"),
        ("prompt", "print the agent's prompt without starting it"),
        ("detach", "start it and return"),
        ("attach", "follow the one that is running, or look at the last one that ended"),
        ("stop", "stop the one that is running"),
        ("pause", "pause the one that is running; its time limit pauses too"),
        ("resume", "let a paused one continue"),
        (
            "merge",
            "merge the branch of a work tree once its work is approved; conflicts are only shown",
        ),
    ):
        what.add_argument(f"--{name}", action="store_const", const=name, dest="what", help=words)
    add_reading_options(parser)


def run(arguments: argparse.Namespace) -> ExitCode:
    session = open_named_session(arguments)
    if arguments.trust:
        require_person("consent to agents")
        trust_agents(session, arguments.trust)
        if arguments.handoff is None and arguments.phase is None and arguments.what is None:
            write_note("Consent stored. It holds until the commands change.")
            return ExitCode.OK
    others = {"list": _list, "stop": _control, "pause": _control, "resume": _control, "attach": _attach}
    others["merge"] = _merge
    return others.get(arguments.what, _start)(session, arguments)


def _start(session: Session, arguments: argparse.Namespace) -> ExitCode:
    handoff = choose_handoff(session, arguments.handoff)
    if arguments.note:
        require_person("write a note in the operator's name")
        inject_note(session, handoff, arguments.note)
        if is_running(session, handoff):
            write_note("The running agent can read the note, and the next one gets it too.")
            return ExitCode.OK
    request = StepRequest(handoff, arguments.phase, back=arguments.back, beyond_budget=arguments.beyond_budget)
    if arguments.what == "prompt":
        return _print_prompt(session, request)
    if arguments.what == "detach":
        return _detach(session, request, arguments)
    with _following() as progress:
        report = step(session, request, progress, loop=arguments.loop)
    return _tell(session, report, arguments)


def _tell(session: Session, report: StepReport, arguments: argparse.Namespace) -> ExitCode:
    told = notify(session, build_notification(report))
    send_to_terminal(told)
    if told.problem:
        write_note(told.problem)
    write_result(arguments, page.build_step_json, page.build_step_page, report, everything=arguments.all)
    if report.outcome is StepOutcome.STOPPED:
        return ExitCode.INTERRUPTED
    return ExitCode.OK if report.outcome is StepOutcome.READY else ExitCode.BLOCKED


def _list(session: Session, arguments: argparse.Namespace) -> ExitCode:
    handoff = _find_named(session, arguments)
    overview = page.StepOverview(
        list_views(session, handoff),
        list_locks(session.repository.common_dir),
        list_phase_agents(session),
        build_agent_trust(session),
        list_worktrees(session),
        find_overlaps(session),
    )
    write_result(arguments, page.build_step_list_json, page.build_step_list_page, overview)
    return ExitCode.OK


def _find_named(session: Session, arguments: argparse.Namespace) -> str | None:
    """Returns the id of the named handoff; None if none was named."""
    return choose_handoff(session, arguments.handoff) if arguments.handoff else None


def _control(session: Session, arguments: argparse.Namespace) -> ExitCode:
    key = find_active(session, _find_named(session, arguments), arguments.phase)
    if arguments.what == "stop":
        view = stop_step(session, key)
        if key.step == AGENT_STEP:
            return _tell(session, finish_step(session, key), arguments)
    else:
        view = pause_step(session, key) if arguments.what == "pause" else resume_step(session, key)
    write_note(f"{key.handoff} · {key.phase} is {view.state.status.value}")
    return ExitCode.OK


def _attach(session: Session, arguments: argparse.Namespace) -> ExitCode:
    key = find_last(session, _find_named(session, arguments), arguments.phase)
    with _following() as progress:
        view = follow(session, key, progress.on_look, progress.checks.cancel)
        if not view.state.is_over:
            write_note("The agent keeps running; --stop ends it.")
            return ExitCode.INTERRUPTED
        report = finish_step(session, key, progress.checks)
    return _tell(session, report, arguments)


def _merge(session: Session, arguments: argparse.Namespace) -> ExitCode:
    preview = preview_merge(session, choose_handoff(session, arguments.handoff), arguments.phase)
    if not arguments.json:
        write_page(page.build_merge_page(preview))
    require_person("merge an agent's work")
    commit = merge_work(session, preview)
    if arguments.json:
        write_json(page.build_merge_json(preview, commit))
    else:
        write_text(f"Merged as {commit[:SHORT_DIGEST]}.")
    return ExitCode.OK


def _detach(session: Session, request: StepRequest, arguments: argparse.Namespace) -> ExitCode:
    with _following() as progress:
        prepared = prepare_step(session, request, progress.checks)
        if progress.checks.cancel.is_set():
            raise KeyboardInterrupt
        confirmed = prepared.phase.human_only and _confirm(prepared)
        view = start_step(prepared, confirmed=confirmed, alone=True)
    if arguments.json:
        write_json(page.build_step_list_json(page.StepOverview((view,))))
    else:
        write_text(f"{prepared.key.handoff} · {prepared.key.phase} is running. Its output goes to {view.output}.")
    write_note("Its work is checked when it ends, and you are notified. `handoff-tui step --attach` follows it.")
    return ExitCode.OK


def _print_prompt(session: Session, request: StepRequest) -> ExitCode:
    with _following() as progress:
        prepared = prepare_step(session, request, progress.checks)
    write_text("\n".join(render_safe_lines(build_prompt(prepared).rstrip("\n"))))
    return ExitCode.OK


def _confirm(prepared: PreparedStep) -> bool:
    """Asks on the terminal for the name of a phase that only people may start."""
    question = (
        f"{prepared.phase.name} of {prepared.key.handoff} runs: {prepared.agent.shown}\nType the name of the phase: "
    )
    return ask_person(question) == prepared.phase.name


@contextmanager
def _following() -> Iterator[StepCallbacks]:
    """Shows one line of progress. Ctrl-C stops the agent; its work is still checked."""
    with following(keeps_partial=True) as checks:
        yield StepCallbacks(checks=checks, on_look=_look, confirm=_confirm)


def _look(view: RunView) -> None:
    write_progress(page.build_following_line(view))
