"""`decide VERB ID`: runs the blocking checks again, shows what will be signed, asks, signs, and adds it to the log."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from handoff_tui.cli.diagnostics import write_note
from handoff_tui.cli.exit_codes import ExitCode
from handoff_tui.cli.options import (
    add_handoff_argument,
    add_output_options,
    add_phase_option,
    open_named_session,
    open_work_session,
)
from handoff_tui.cli.output import render_page, write_result
from handoff_tui.cli.progress import following
from handoff_tui.core.errors import DecisionForbiddenError, HandoffError, NoHumanError
from handoff_tui.core.text.safe_text import render_safe
from handoff_tui.decisions import decide
from handoff_tui.decisions.examine import build_gate_view, judge_again
from handoff_tui.decisions.pages import decide as pages
from handoff_tui.decisions.threads import parse_comments, read_comment_file
from handoff_tui.decisions.views import ExtraConfirmation
from handoff_tui.handoffs.session import Session
from handoff_tui.log.entry import PASSING
from handoff_tui.log.open_log import open_log
from handoff_tui.log.person import Confirmation, ask_person, read_page_width, require_person

if TYPE_CHECKING:
    from handoff_tui.decisions.extra_confirmations import NoticedFiles
    from handoff_tui.handoffs.handoff import Handoff

VERBS = {
    "approve": "lets the work go on",
    "reject": "sends it back, with the reason and comments for the next attempt",
    "retry": "asks for another attempt at the same work",
    "skip": "leaves out this phase",
    "override": "lets it go on although checks fail, and stays on record until an approval settles it",
    "hold": "puts it on hold, with a reason",
    "withdraw": "withdraws your last decision here",
    "carry": "carries your approval over to a rewritten history with the same content",
}
_PATIENCE_SECONDS = 30.0
"""How long the last question waits, which only offers something: the decision is stored by then."""
EXAMPLES = """\
examples:
  handoff-tui decide approve H-3
  handoff-tui decide reject H-3 --reason "no test for an empty table" --comments comments.txt
  handoff-tui decide reject H-3 --reason "not yet" --comment "src/app.py:12: and if it is empty?"
  handoff-tui decide override H-3 --reason "the flaky check is tracked in #12"
  handoff-tui decide approve H-3 --subject sha256:…    without a terminal, if the signed policy allows you to

A comments file has one comment per paragraph: `src/app.py:12-15: text`, `src/app.py: text`, or just text.
`@1a2b3c4d.1: text` replies to a comment that `handoff-tui comments` lists, and `@1a2b3c4d.1 resolved` settles it.

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
        "--comment",
        action="append",
        default=[],
        metavar="TEXT",
        help="one comment, written as in such a file (repeatable)",
    )
    parser.add_argument(
        "--viewed", action="append", default=[], metavar="PATH", help="a file you have read (repeatable)"
    )
    parser.add_argument(
        "--subject",
        metavar="DIGEST",
        help="decide without a terminal, where the signed policy allows it: the digest printed by `gate`",
    )
    add_output_options(parser)


def run(arguments: argparse.Namespace) -> ExitCode:
    way = Confirmation.TERMINAL if arguments.subject is None else Confirmation.HEADLESS
    require_person("decide", way)
    session = open_named_session(arguments)
    log = open_log(session.repository)
    from_file = read_comment_file(arguments.comments) if arguments.comments else ()
    comments = (*from_file, *(comment for text in arguments.comment for comment in parse_comments(text)))
    request = decide.DecideRequest(
        verb=decide.parse_verb(arguments.decision),
        handoff=arguments.id,
        phase=arguments.phase,
        reason=arguments.reason,
        comments=comments,
        viewed=tuple(arguments.viewed),
        confirmed=way,
    )
    work = open_work_session(session, arguments)
    with following() as progress:
        prepared = decide.prepare_decision(work, log, request, progress)
    demands, noticed = _look_at_changes(prepared, arguments.viewed)
    _confirm(prepared, arguments.subject, demands, noticed)
    entry = decide.sign_decision(log, prepared)
    _wake(session, prepared)
    after = build_gate_view(judge_again(prepared.examined, log))
    write_result(arguments, pages.build_receipt_json, pages.build_receipt_page, entry, after)
    if prepared.verb in PASSING:
        _offer_registry(session, prepared.examined.handoff, asks=way is Confirmation.TERMINAL)
    return ExitCode.OK


def _offer_registry(session: Session, handoff: Handoff, *, asks: bool) -> None:
    """Shows the rows of the registry that the decision has overtaken, and writes them if the person says so."""
    from handoff_tui.checks.run.recheck import CheckAgain  # noqa: PLC0415 - as below
    from handoff_tui.status.registry import (  # noqa: PLC0415 - sending work back overtakes nothing
        apply_registry,
        describe_edit,
        find_overtaken,
    )

    edits = find_overtaken(session, handoff, CheckAgain())
    if not edits:
        return
    shown = "\n".join(f"  {render_safe(describe_edit(edit)[0])}" for edit in edits)
    question = f"The registry is behind:\n{shown}\nWrite it? [y/N]: "
    if asks and (ask_person(question, _PATIENCE_SECONDS) or "").casefold() in {"y", "yes"}:
        apply_registry(session, edits)
        write_note(f"Written: {', '.join(dict.fromkeys(edit.path for edit in edits))}. Committing it is up to you.")
    else:
        write_note(f"The registry is behind:\n{shown}\nhandoff-tui registry --apply writes it.")


def _wake(session: Session, prepared: decide.PreparedDecision) -> None:
    """Wakes procedures that wait at this gate. The decision is stored even if that fails."""
    from handoff_tui.agents.procedures.run import wake_runs  # noqa: PLC0415 - most repositories run no procedures

    try:
        wake_runs(session, prepared.examined.handoff.id)
    except HandoffError as refused:
        write_note(f"The decision is stored, but waiting procedures could not be woken: {refused.message}")


def _look_at_changes(
    prepared: decide.PreparedDecision, viewed: Sequence[str]
) -> tuple[tuple[ExtraConfirmation, ...], tuple[NoticedFiles, ...]]:
    """What the app demands a confirmation for, and files to name. Refuses to let work go on that cannot be read."""
    from handoff_tui.decisions.extra_confirmations import (  # noqa: PLC0415 - sending work back needs no comparison
        compare_named,
        find_extra_confirmations,
        find_noticed_files,
    )

    if prepared.verb not in PASSING:
        return (), ()
    drafts, read = compare_named(prepared.examined, viewed)
    if read.trouble:
        raise DecisionForbiddenError(
            f"the changes cannot be read, so nobody can approve them: {read.trouble}",
            "Nothing was signed. `handoff-tui diff` shows the same; `git fsck --full` may say more.",
        )
    return (
        find_extra_confirmations(prepared, drafts, read),
        find_noticed_files(prepared.examined, read.changes),
    )


def _confirm(
    prepared: decide.PreparedDecision,
    spelled: str | None,
    demands: tuple[ExtraConfirmation, ...],
    noticed: tuple[NoticedFiles, ...],
) -> None:
    """Asks for the handoff's id: no default, and nothing typed earlier counts."""
    view = decide.build_decision_view(prepared)
    if spelled is not None:
        if spelled != view.gate.digest:
            raise NoHumanError(
                f"the digest doesn't match: the subject is now {view.gate.digest}",
                "Something changed since that digest was printed. Look at `handoff-tui gate` again.",
            )
        return
    shown = render_page(pages.build_decision_page(view, demands, noticed), width=read_page_width())
    answer = ask_person(f"{shown}\n{pages.build_question(view)}")
    if answer != view.gate.report.handoff:
        raise NoHumanError(f"{view.verb} was not confirmed", "Nothing was signed or stored.")
