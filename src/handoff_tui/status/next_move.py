"""The gate of a handoff: what blocks it, and who must act next. Pure.

Without a decision in the signed log a gate stays pending.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from handoff_tui.core.place import Problem, ProblemLevel
from handoff_tui.core.short_id import SHORT_ENTRY
from handoff_tui.handoffs.claim import Verdict
from handoff_tui.handoffs.claims.blocking import (
    describe_wait,
    find_bad_verdicts,
    find_blocking,
    find_open_findings,
    find_unmet,
    has_results,
    is_before_results,
    owes_results,
    says_failed,
    says_underway,
    status_token,
)
from handoff_tui.handoffs.handoff import DocumentRole, Handoff, RegistryState
from handoff_tui.handoffs.life import LIVE, Life
from handoff_tui.log.entry import PASSING
from handoff_tui.log.gates.gate_state import (
    OPENING,
    SENT_BACK,
    UNCOVERED,
    GateName,
    GateReport,
    GateState,
    Mover,
    NextMove,
)

_WORDS = {
    "PAUSED": "resume the work",
    "PENDING": "pick it up",
    "NOT_STARTED": "start the work",
    "BLOCKED": "clear what blocks it",
}
_QUESTIONS = "questions"
_LISTS = frozenset({DocumentRole.LIST, DocumentRole.SPEC})
_SENT = {GateName.REJECTED: "sent back by", GateName.RETRY: "another attempt for", GateName.HELD: "held by"}
_COUNT = (" approval", " approvals")
_REPAIR = "fix it and hand it over again"


def build_gate(
    handoff: Handoff,
    by_id: Mapping[str, Handoff],
    verdicts: tuple[Verdict, ...] = (),
    problems: tuple[Problem, ...] = (),
    *,
    report: GateReport | None = None,
    life: Life = LIVE,
) -> GateState:
    """The gate of one handoff; `report` is what the signed log says. A past one waits for nobody."""
    if life.is_past:
        return _build_past_gate(life, report)
    if report is not None and handoff.greenlit is False and _QUESTIONS in report.passed:
        handoff = handoff.model_copy(update={"greenlit": True})  # a signed approval is the greenlight
    against = tuple(dict.fromkeys(find_blocking(handoff, by_id, verdicts, problems)))
    own = tuple(dict.fromkeys((*_list_debts(report), *against)))
    facts = {"against": against, "awaits": tuple(find_unmet(handoff, by_id))}
    if report is not None and report.state is not GateName.PENDING:
        move = _find_decided_move(handoff, report) or _find_next_move(handoff, by_id, problems)
        reasons = (*report.why, *own)
        if report.state in OPENING:
            return GateState(state=report.state, why=reasons, next_move=move, **facts)
        return GateState(state=report.state, blocking=reasons, next_move=move, **facts)
    counted = report.why if report is not None and any(one.verb in PASSING for one in report.approvals) else ()
    move = _find_next_move(handoff, by_id, problems)
    return GateState(state=GateName.PENDING, blocking=(*counted, *own), next_move=move, **facts)


def describe_reason(gate: GateState) -> str:
    """Why a handoff is where it is, in one sentence. Every list and title uses these words."""
    if gate.state in OPENING:
        return gate.why[0] if gate.why and gate.next_move.who is Mover.NOBODY else gate.next_move.what
    if gate.next_move.who is Mover.HUMAN:
        return f"a person must act: {gate.next_move.what}"
    reasons = [reason for reason in gate.blocking if not reason.endswith(_COUNT)] or gate.blocking
    if not reasons:
        return gate.next_move.what
    return f"{_SENT[gate.state]} {reasons[0]}" if gate.state in _SENT else reasons[0]


def _build_past_gate(life: Life, report: GateReport | None) -> GateState:
    state, why = (report.state, report.why) if report is not None else (GateName.PENDING, ())
    move = NextMove(who=Mover.NOBODY, what=f"{life.why}; nothing to do")
    return GateState(state=state, why=() if state is GateName.PENDING else why, next_move=move)


def close_gate(gate: GateState, why: str) -> GateState:
    """The gate of a repository whose settings can't be used: closed, whatever the log says."""
    move = NextMove(who=Mover.HUMAN, what="fix handoff-tui.toml")
    blocking = (f"its settings can't be used: {why}", *gate.why, *gate.blocking)
    return GateState(state=GateName.BLOCKED, blocking=blocking, next_move=move)


def mark_validated(handoffs: Iterable[Handoff], gates: Mapping[str, GateName | None]) -> dict[str, Handoff]:
    """Handoffs by id; one that the log approves is validated, whatever its files say."""
    validated = {"registry": RegistryState.VALIDATED}
    return {
        handoff.id: handoff.model_copy(update=validated)
        if gates.get(handoff.id) in OPENING and not is_before_results(handoff)
        else handoff
        for handoff in handoffs
    }


def _list_debts(report: GateReport | None) -> tuple[str, ...]:
    """An override stays visible until an approval settles it, whatever the gate says now."""
    debts = report.debts if report is not None else ()
    return tuple(f"the override {debt[:SHORT_ENTRY]}… is not settled by an approval yet" for debt in debts)


def _find_decided_move(handoff: Handoff, report: GateReport) -> NextMove | None:
    """What follows from a decision; None if one is still due."""
    if report.state is GateName.OVERRIDDEN and report.debts:
        return NextMove(who=Mover.REVIEWER, what="the next phase can start; a later approval settles the override")
    if report.state in OPENING and handoff.branch is not None:
        return NextMove(who=Mover.REVIEWER, what=f"merge its work: handoff-tui step --merge --handoff {handoff.id}")
    if report.state in OPENING:
        return NextMove(who=Mover.NOBODY, what=f"{report.state.value}; the next phase can start")
    if report.state in SENT_BACK:
        what = f"start the next attempt: handoff-tui packet {handoff.id}"
        return NextMove(who=Mover.AGENT, name=_find_agent(handoff), what=what)
    if report.state is GateName.HELD:
        return NextMove(who=Mover.REVIEWER, what="resolve what it is on hold for")
    return _build_blocked_move(report) if report.state is GateName.BLOCKED else None


def _build_blocked_move(report: GateReport) -> NextMove:
    if any(reason.startswith(UNCOVERED) for reason in report.why):
        return NextMove(who=Mover.REVIEWER, what="decide on the rest first: handoff-tui coverage")
    return NextMove(who=Mover.HUMAN, what="see what is wrong: handoff-tui log verify")


def _find_next_move(handoff: Handoff, by_id: Mapping[str, Handoff], problems: tuple[Problem, ...]) -> NextMove:
    unmet = next(find_unmet(handoff, by_id), None)
    if handoff.branch is not None:
        what = f"its work is on {handoff.branch}; decide there: handoff-tui gate {handoff.id}"
        return NextMove(who=Mover.REVIEWER, what=what)
    return (
        _find_human_move(handoff)
        or _find_unread_move(handoff, problems)
        or _find_question_move(handoff, unmet)
        or _find_agent_move(handoff, unmet)
        or _find_list_move(handoff)
        or _build_review_move("review and decide", unmet)
    )


def _find_human_move(handoff: Handoff) -> NextMove | None:
    """What only a person can do, or what a review escalated to one."""
    for blocker in handoff.blockers:
        if blocker.open and blocker.needs_human and blocker.blocking:
            return NextMove(who=Mover.HUMAN, name=blocker.owner, what=blocker.title)
    if any(str(claim.value).upper() == "ESCALATE" for claim in find_bad_verdicts(handoff)):
        return NextMove(who=Mover.HUMAN, what="decide what the review escalated")
    return None


def _find_unread_move(handoff: Handoff, problems: tuple[Problem, ...]) -> NextMove | None:
    """What can't be read can't be reviewed: its author must write it again."""
    if all(problem.level is not ProblemLevel.ERROR for problem in problems):
        return None
    return NextMove(who=Mover.AGENT, name=_find_agent(handoff), what="fix what can't be read")


def _find_question_move(handoff: Handoff, unmet: str | None) -> NextMove | None:
    """Before the work: the agent answers, then a person reads the answers."""
    if not handoff.questions or handoff.greenlit is not False or has_results(handoff):
        return None
    has_answers = any(document.role is DocumentRole.ANSWERS for document in handoff.documents)
    if has_answers or any(question.answered for question in handoff.questions):
        return _build_review_move("read the answers and give or refuse the greenlight", unmet)
    if unmet:
        return NextMove(who=Mover.NOBODY, what=describe_wait(unmet))
    return NextMove(who=Mover.AGENT, name=_find_agent(handoff), what="answer the questions, then stop")


def _find_agent_move(handoff: Handoff, unmet: str | None) -> NextMove | None:
    """What the handoff calls failed or unfinished goes to an agent; so does work without results."""
    if says_failed(handoff) or _is_sent_back(handoff):
        return NextMove(who=Mover.AGENT, name=_find_agent(handoff), what=_REPAIR)
    if says_underway(handoff):
        words = _WORDS.get(status_token(handoff), "finish the work")
        return NextMove(who=Mover.AGENT, name=handoff.target_agent or _find_agent(handoff), what=words)
    if handoff.ran and any(find_open_findings(handoff)):  # its run looked at the work of others
        return NextMove(who=Mover.AGENT, name=_find_agent(handoff), what="fix what was found")
    if owes_results(handoff) and not has_results(handoff):
        if unmet:
            return NextMove(who=Mover.NOBODY, what=describe_wait(unmet))
        return NextMove(who=Mover.AGENT, name=_find_agent(handoff), what="do the work and write the results")
    return None


def _is_sent_back(handoff: Handoff) -> bool:
    """Whether a review refused the only attempt; with several, it's unknown which one it read."""
    return bool(find_bad_verdicts(handoff)) and len(handoff.attempts) <= 1


def _find_list_move(handoff: Handoff) -> NextMove | None:
    """A list of tasks or definitions hands nothing over: there is nothing to approve."""
    roles = {document.role for document in handoff.documents}
    says_something = handoff.status is not None or handoff.registry is not None or handoff.claims or handoff.blockers
    if says_something or not roles or roles - _LISTS:
        return None
    left = sum(task.done is not True for task in handoff.tasks)
    if left:
        noun = "task is" if left == 1 else "tasks are"
        return NextMove(who=Mover.AGENT, what=f"{left} {noun} open")
    done = "every task is done" if handoff.tasks else "definitions only"
    return NextMove(who=Mover.NOBODY, what=f"{done}; nothing to review")


def _build_review_move(what: str, unmet: str | None) -> NextMove:
    if unmet is None:
        return NextMove(who=Mover.REVIEWER, what=what)
    rest = "this" if what == "review and decide" else what
    return NextMove(who=Mover.REVIEWER, what=f"decide {unmet} first, then {rest}")


def _find_agent(handoff: Handoff) -> str | None:
    """Who did the work; in the hub, the role that the stage was given to."""
    own = handoff.target_agent if handoff.dialect == "hub" else None
    return own or handoff.source_agent or next(iter(handoff.producers), None)
