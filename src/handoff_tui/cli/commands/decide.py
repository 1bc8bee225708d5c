"""`decide VERB ID`: runs the blocking checks again, shows what will be signed, asks, signs, and adds it to the log."""

from __future__ import annotations

import argparse
from pathlib import Path

from handoff_tui.cli.diagnostics import write_note
from handoff_tui.cli.exit_codes import ExitCode
from handoff_tui.cli.options import (
    add_handoff_argument,
    add_json_option,
    add_phase_option,
    add_repository_option,
    find_start,
)
from handoff_tui.cli.output import render_page, write_result
from handoff_tui.cli.progress import following
from handoff_tui.core.errors import HandoffError, NoHumanError
from handoff_tui.decisions.comments import read_comments
from handoff_tui.decisions.confirm import ask_person, can_ask, read_page_width
from handoff_tui.decisions.decide import (
    DecideRequest,
    PreparedDecision,
    build_decision_view,
    parse_verb,
    prepare_decision,
    sign_decision,
)
from handoff_tui.decisions.examine import build_gate_view, judge_again
from handoff_tui.decisions.pages.decide import (
    build_decision_page,
    build_question,
    build_receipt_json,
    build_receipt_page,
)
from handoff_tui.handoffs.session import Desk, load_terminal_theme, open_desk
from handoff_tui.log.open_log import open_log

VERBS = {
    "approve": "lets the work go on",
    "reject": "sends it back; the reason and comments go to the next attempt",
    "retry": "asks for another attempt at the same work",
    "skip": "leaves out this phase",
    "override": "lets it go on although checks fail; stays on record until an approval settles it",
    "hold": "puts it on hold, with a reason",
    "withdraw": "withdraws your last decision here",
    "carry": "carries your approval over to a rewritten history with the same content",
}
EXAMPLES = """\
examples:
  handoff-tui decide approve H-3
  handoff-tui decide reject H-3 --reason "no test for an empty table" --comments comments.txt
  handoff-tui decide override H-3 --reason "the flaky check is tracked in #12"
  handoff-tui decide approve H-3 --subject sha256:…    without a terminal: the full digest printed by `gate`

A comments file has one comment per paragraph: `src/app.py:12-15: text`, `src/app.py: text`, or just text.

exit: 0 stored, 1 the gate's rules forbid it, 3 the log is not intact, 4 nobody to ask or no key to sign with
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    verbs = "; ".join(f"{verb}: {what}" for verb, what in VERBS.items())
    parser.add_argument("decision", metavar="VERB", choices=tuple(VERBS), help=verbs)
    add_handoff_argument(parser)
    add_phase_option(parser)
    parser.add_argument("--reason", default="", metavar="TEXT", help="why; required except for approve and carry")
    parser.add_argument(
        "--comments", type=Path, metavar="FILE", help="comments on files and lines, for the next attempt"
    )
    parser.add_argument(
        "--viewed", action="append", default=[], metavar="PATH", help="a file you have read (repeatable)"
    )
    parser.add_argument("--subject", metavar="DIGEST", help="decide without a terminal: the digest printed by `gate`")
    add_json_option(parser)
    add_repository_option(parser)


def run(arguments: argparse.Namespace) -> ExitCode:
    if arguments.subject is None and not can_ask():
        raise NoHumanError(
            "there is no terminal to ask on, and piped input never counts as an answer",
            "Name the subject with --subject DIGEST, as printed by `handoff-tui gate`.",
        )
    desk = open_desk(find_start(arguments))
    log = open_log(desk.repository)
    comments = read_comments(arguments.comments) if arguments.comments else ()
    request = DecideRequest(
        verb=parse_verb(arguments.decision),
        handoff=arguments.id,
        phase=arguments.phase,
        reason=arguments.reason,
        comments=comments,
        viewed=tuple(arguments.viewed),
    )
    with following() as progress:
        prepared = prepare_decision(desk, log, request, progress)
    _confirm(prepared, arguments.subject)
    entry = sign_decision(log, prepared)
    _wake(desk, prepared)
    after = build_gate_view(judge_again(prepared.examined, log))
    write_result(arguments, lambda: build_receipt_json(entry, after), lambda: build_receipt_page(entry, after))
    return ExitCode.OK


def _wake(desk: Desk, prepared: PreparedDecision) -> None:
    """Wakes procedures that wait at this gate. The decision is stored even if that fails."""
    from handoff_tui.agents.procedures.run import wake_runs  # noqa: PLC0415 - most repositories run no procedures

    try:
        wake_runs(desk, prepared.examined.handoff.id)
    except HandoffError as refused:
        write_note(f"The decision is stored, but waiting procedures could not be woken: {refused.message}")


def _confirm(prepared: PreparedDecision, spelled: str | None) -> None:
    """Asks for the handoff's id: no default, and nothing typed earlier counts."""
    view = build_decision_view(prepared)
    if spelled is not None:
        if spelled != view.gate.digest:
            raise NoHumanError(
                f"the digest doesn't match: the subject is now {view.gate.digest}",
                "Something changed since that digest was printed. Look at `handoff-tui gate` again.",
            )
        return
    shown = render_page(build_decision_page(view), load_terminal_theme(), read_page_width())
    answer = ask_person(f"{shown}\n{build_question(view)}")
    if answer != view.gate.report.handoff:
        raise NoHumanError(f"{view.verb} was not confirmed", "Nothing was signed or stored.")
