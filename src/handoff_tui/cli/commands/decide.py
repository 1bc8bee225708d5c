"""`decide VERB ID`: re-runs the blocking checks fresh, shows what is signed, asks, signs, and adds it to the log."""

from __future__ import annotations

import argparse
from pathlib import Path

from handoff_tui.cli.diagnostics import write_note
from handoff_tui.cli.exit_codes import ExitCode
from handoff_tui.cli.options import add_handoff_argument, add_phase_option, add_repository_option, find_start
from handoff_tui.cli.output import render_page, write_json, write_page
from handoff_tui.cli.progress import following
from handoff_tui.core.errors import HandoffError, NoHumanError
from handoff_tui.decisions.comments import read_comments
from handoff_tui.decisions.confirm import ask_person, can_ask, read_page_width
from handoff_tui.decisions.decide import DecideRequest, Prepared, parse_verb, prepare_decision, sign_decision
from handoff_tui.decisions.examine import judge_again
from handoff_tui.decisions.gate_view import build_decision_view, build_gate_view
from handoff_tui.decisions.pages.decide import (
    build_decision_page,
    build_question,
    build_receipt_json,
    build_receipt_page,
)
from handoff_tui.handoffs.session import Desk, load_terminal_theme, open_desk
from handoff_tui.log.open_log import open_log

VERBS = {
    "approve": "the work may pass",
    "reject": "it may not; the reason and the remarks go to the next attempt",
    "retry": "the same work is to be tried again",
    "skip": "this phase is not needed",
    "override": "it may pass although checks fail; a debt until a later approve settles it",
    "hold": "wait, for a reason",
    "withdraw": "take back your last decision here",
    "carry": "your approval still holds: only the history was rewritten",
}
_EXAMPLES = """\
examples:
  handoff-tui decide approve H-3
  handoff-tui decide reject H-3 --reason "no test for an empty table" --comments remarks.txt
  handoff-tui decide override H-3 --reason "the flaky check is tracked in #12"
  handoff-tui decide approve H-3 --subject sha256:…    without a terminal: the digest that `gate` prints, spelled out

A comments file has one remark a paragraph: `src/app.py:12-15: text`, `src/app.py: text`, or just text.
exit: 0 stored, 1 the gate's rules forbid it, 3 the log is not sound, 4 nobody to decide or no key to sign with
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EXAMPLES
    verbs = "; ".join(f"{verb}: {what}" for verb, what in VERBS.items())
    parser.add_argument("decision", metavar="VERB", choices=tuple(VERBS), help=verbs)
    add_handoff_argument(parser)
    add_phase_option(parser)
    parser.add_argument("--reason", default="", metavar="TEXT", help="why; needed for all but approve and carry")
    parser.add_argument("--comments", type=Path, metavar="FILE", help="remarks on lines of files, for the next attempt")
    parser.add_argument(
        "--viewed", action="append", default=[], metavar="PATH", help="a file you have read (may be repeated)"
    )
    parser.add_argument("--subject", metavar="DIGEST", help="decide without a terminal: what `gate` printed")
    parser.add_argument("--json", action="store_true", help="print one JSON object for scripts")
    add_repository_option(parser)


def run(arguments: argparse.Namespace) -> ExitCode:
    if arguments.subject is None and not can_ask():
        raise NoHumanError(
            "there is no terminal to ask on, and piped input is never an answer",
            "Name what you decide on with --subject; `handoff-tui gate` prints its digest.",
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
    with following() as telling:
        prepared = prepare_decision(desk, log, request, telling)
    _confirm(prepared, arguments.subject)
    entry = sign_decision(log, prepared)
    _wake(desk, prepared)
    after = build_gate_view(judge_again(prepared.examined, log))
    if arguments.json:
        write_json(build_receipt_json(entry, after))
    else:
        write_page(build_receipt_page(entry, after), load_terminal_theme())
    return ExitCode.OK


def _wake(desk: Desk, prepared: Prepared) -> None:
    """Procedures that wait at this gate look at the log at once. The decision stands, whatever comes of that."""
    from handoff_tui.agents.procedures.run import wake_runs  # noqa: PLC0415 - most repositories run no procedures

    try:
        wake_runs(desk, prepared.examined.handoff.id)
    except HandoffError as refused:
        write_note(f"the decision is stored; procedures that wait for it were not told: {refused.message}")


def _confirm(prepared: Prepared, spelled: str | None) -> None:
    """The second step. The word itself is asked for: no default, and nothing that was typed before counts."""
    view = build_decision_view(prepared)
    if spelled is not None:
        if spelled != view.gate.digest:
            raise NoHumanError(
                f"that is not what is here now: the subject is {view.gate.digest}",
                "Look at `handoff-tui gate` again; something has changed since that digest was printed.",
            )
        return
    shown = render_page(build_decision_page(view), load_terminal_theme(), read_page_width())
    answer = ask_person(f"{shown}\n{build_question(view)}")
    if answer != view.verb:
        raise NoHumanError(f"{view.verb} was not confirmed", "Nothing was signed or stored.")
