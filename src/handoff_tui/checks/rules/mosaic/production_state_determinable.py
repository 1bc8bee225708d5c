"""The next agent can tell from the state files who worked last and what is deployed."""

from __future__ import annotations

from collections.abc import Iterator

from handoff_tui.checks.context import Context
from handoff_tui.checks.contract import Found, Moment, Rule, System
from handoff_tui.checks.rules.mosaic.session_state import (
    AGENT_STATE,
    SessionState,
    StateFile,
    read_state_file,
    require_states,
)
from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.core.severity import Severity
from handoff_tui.handoffs.claim import Claim, ClaimKind

_PROGRESS = "implementation_progress"
_WORD = compile_later(r"[^\W_]+")


def judge(context: Context) -> Iterator[Found]:
    for state in require_states(context):
        file = read_state_file(context, state.path(AGENT_STATE))
        yield from file.broken
        if not file.broken:
            yield from _find_empty(context, file)
            yield from _judge_deployment(context, state, file)


def _find_empty(context: Context, file: StateFile) -> Iterator[Found]:
    """Fields that are absent, or there and hold nothing."""
    for name in context.setting("mosaic.required_fields", tuple):
        value = file.members.get(name)
        if value is None or value in ("", [], {}) or (isinstance(value, str) and not value.strip()):
            actual = "empty" if name in file.members else "absent"
            yield Found(f"{file.path} does not say its {name}", name, file.place(name), "a value", actual)


def _judge_deployment(context: Context, state: SessionState, file: StateFile) -> Iterator[Found]:
    claims = [
        claim
        for claim in state.handoff.claims
        if claim.kind is ClaimKind.DEPLOYMENT and claim.where.path.startswith(f"{state.folder}/")
    ]
    undetermined = context.setting("mosaic.undetermined_words", tuple)
    if any(_is_determined(claim, undetermined) for claim in claims):
        return
    if claims:
        said = str(claims[0].value)
        message = f"{claims[0].where.path} says {said!r} of the deployment, which does not tell what is live"
        yield Found(message, "deployment", claims[0].where, "the state of the deployment", said)
    else:
        message = f"{file.path} does not say whether anything is deployed"
        yield Found(message, "deployment", file.place(_PROGRESS), "deployment_status, if only «none»", "nothing")


def _is_determined(claim: Claim, undetermined: tuple[str, ...]) -> bool:
    words = [word.lower() for word in _WORD.findall(str(claim.value))]
    return bool(words) and words[0] not in undetermined


PRODUCTION_STATE_DETERMINABLE = Rule(
    id="production-state-determinable",
    system=System.MOSAIC,
    severity=Severity.MEDIUM,
    holds="The state files say who worked last, how far the work is, and what is deployed.",
    reads="the required fields of the agent state; what the state says about the deployment",
    remedy="Fill the named field; write the state of the deployment into implementation_progress.deployment_status.",
    judge=judge,
    moments=(Moment.POST,),
)
