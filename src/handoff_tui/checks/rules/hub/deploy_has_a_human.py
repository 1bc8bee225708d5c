"""Work on its way to deployment carries the approval of a named person."""

from __future__ import annotations

from collections.abc import Iterator

from handoff_tui.checks.context import Context
from handoff_tui.checks.facts.approvals import find_approvals, is_agent
from handoff_tui.checks.facts.documents import find_unreadable
from handoff_tui.checks.rule import Rule, RuleFinding, System
from handoff_tui.core.place import Place
from handoff_tui.core.severity import Severity
from handoff_tui.handoffs.handoff import Handoff


def judge(context: Context) -> Iterator[RuleFinding]:
    handoffs = context.require_handoffs("hub")
    hub = context.settings.hub
    states = {state.upper() for state in (*hub.deploy_states, *hub.human_only_states)}
    applies = False
    for handoff in handoffs:
        sign = _find_deploy(handoff, states | _find_deploying_roles(context, states))
        if sign is None:
            continue
        applies = True
        yield from find_unreadable(context, [document.path for document in handoff.documents])
        yield from _judge_approvals(context, handoff, *sign)
    if not applies:
        context.skip("nothing is being deployed")


def _find_deploying_roles(context: Context, states: set[str]) -> set[str]:
    roles = context.settings.hub.roles
    return {name.upper() for name, role in roles.items() if str(getattr(role, "stage", "")).upper() in states}


def _find_deploy(handoff: Handoff, states: set[str]) -> tuple[str, Place | None] | None:
    """Returns the state that says the work is, was or is about to be deployed; None if there is none."""
    first = Place(path=handoff.documents[0].path) if handoff.documents else None
    stage = next((fact for fact in handoff.facts if fact.name == "pipeline stage"), None)
    signs: list[tuple[str | None, Place | None]] = [
        (handoff.source_phase, first),
        (handoff.target_phase, first),
        (handoff.target_agent, first),
        (handoff.status, first),
        *([(stage.value, stage.where)] if stage else []),
        *((attempt.phase, attempt.where) for attempt in handoff.attempts),
        *((attempt.agent, attempt.where) for attempt in handoff.attempts),
        *((task.stage, task.where) for task in handoff.tasks),
        *((task.status, task.where) for task in handoff.tasks),
    ]
    return next(
        ((word, place) for word, place in signs if word and word.strip().upper().replace(" ", "_") in states), None
    )


def _judge_approvals(context: Context, handoff: Handoff, sign: str, place: Place | None) -> Iterator[RuleFinding]:
    approvals = list(find_approvals(context, handoff))
    if any(approval.name and not is_agent(context, handoff, approval.name) for approval in approvals):
        return
    given = approvals[-1] if approvals else None
    if given is None:
        reason, actual = "no approval is in the handoff", "none"
    elif given.name is None:
        reason, actual = "the approval names nobody", given.value
    else:
        reason, actual = f"the approval is by {given.name}, which is no person", given.name
    message = f"{handoff.id} is at {sign.lower()}, but {reason}"
    expected = "the approval of a named person"
    yield RuleFinding(message, f"{handoff.id} deploy", given.place if given else place, expected, actual)


DEPLOY_HAS_A_HUMAN = Rule(
    id="deploy-has-a-human",
    system=System.HUB,
    severity=Severity.CRITICAL,
    holds="Everything that is deployed, or about to be, carries the approval of a named person.",
    reads="states of runs and tasks, and approvals in the hub's documents",
    remedy="Have a person look at the work and put their name into the handoff: `Approved by: <name>`.",
    judge=judge,
)
