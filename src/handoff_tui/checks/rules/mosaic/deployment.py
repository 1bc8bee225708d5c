"""The state says what is deployed, and a deployment that is said to be live answers."""

from __future__ import annotations

from urllib.parse import urlsplit

from handoff_tui.checks.context import Context
from handoff_tui.checks.rule import Findings, Moment, RuleFinding, medium_rule
from handoff_tui.checks.rules.mosaic.session_state import SessionState, StateFile, judge_agent_states
from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.handoffs.claim import Claim, ClaimKind

_PROGRESS = "implementation_progress"
_WORD = compile_later(r"[^\W_]+")


def _judge_state(context: Context, state: SessionState, file: StateFile) -> Findings:
    yield from _find_empty(context, file)
    yield from _judge_deployment(context, state, file)


def _find_empty(context: Context, file: StateFile) -> Findings:
    """Finds required fields that are absent or empty."""
    for name in context.settings.mosaic.required_fields:
        value = file.members.get(name)
        if value is None or value in ("", [], {}) or (isinstance(value, str) and not value.strip()):
            actual = "empty" if name in file.members else "absent"
            yield RuleFinding(f"{file.path} does not say its {name}", name, file.place(name), "a value", actual)


def _judge_deployment(context: Context, state: SessionState, file: StateFile) -> Findings:
    claims = [
        claim
        for claim in state.handoff.claims
        if claim.kind is ClaimKind.DEPLOYMENT and claim.where.path.startswith(f"{state.folder}/")
    ]
    undetermined = context.settings.mosaic.undetermined_words
    if any(_is_determined(claim, undetermined) for claim in claims):
        return
    if claims:
        said = str(claims[0].value)
        message = f"{claims[0].where.path} says {said!r} of the deployment, which does not tell what is live"
        yield RuleFinding(message, "deployment", claims[0].where, "the state of the deployment", said)
    else:
        message = f"{file.path} does not say whether anything is deployed"
        yield RuleFinding(
            message, "deployment", file.place(_PROGRESS), 'deployment_status, even if it is "none"', "nothing"
        )


def _is_determined(claim: Claim, undetermined: tuple[str, ...]) -> bool:
    words = [word.lower() for word in _WORD.findall(str(claim.value))]
    return bool(words) and words[0] not in undetermined


@medium_rule(
    holds="The state files say who worked last, how far the work is, and what is deployed.",
    reads="required fields of the agent state, and what it says about the deployment",
    remedy="Fill in the named field. Write the state of the deployment into implementation_progress.deployment_status.",
    moments=(Moment.POST,),
)
def production_state_determinable(context: Context) -> Findings:
    return judge_agent_states(context, _judge_state)


@medium_rule(
    blocking=False,
    holds="Every deployment that is said to be live answers.",
    reads="what handoffs say about deployments, and their addresses if you allow network access",
    remedy="Bring the deployment up, or say in the state that it isn't live.",
    moments=(Moment.PRE, Moment.POST),
)
def deployment_answers(context: Context) -> Findings:
    claims = [claim for handoff in context.handoffs() for claim in handoff.claims if _says_live(context, claim)]
    if not claims:
        context.skip("no deployment is claimed to be live")
    asked: dict[str, Claim] = {}
    for claim in claims:
        if claim.subject is not None:
            asked.setdefault(_build_address(context, claim), claim)
    found = [_judge_answer(context, address, claim) for address, claim in asked.items()]
    if not asked:
        yield _build_unnamed(claims[0])
    yield from (finding for finding in found if finding is not None)


def _says_live(context: Context, claim: Claim) -> bool:
    """Returns whether the claimed state begins with a word that means reachable; "not live" doesn't."""
    if claim.kind is not ClaimKind.DEPLOYMENT:
        return False
    words = _WORD.findall(str(claim.value))
    return bool(words) and words[0].lower() in context.settings.mosaic.health.live_words


def _build_address(context: Context, claim: Claim) -> str:
    """Returns the claimed address with the health-check path; a page named in a document stays as it is."""
    address = (claim.subject or "").rstrip("/")
    names_a_page = not claim.where.path.endswith(".json") and urlsplit(address).path
    return address if names_a_page else address + context.settings.mosaic.health.path


def _judge_answer(context: Context, address: str, claim: Claim) -> RuleFinding | None:
    answer = context.answers(address)
    if answer is None:
        context.skip("asking the deployment needs network access; allow it with --network")
    expected = context.settings.mosaic.health.expected_status
    if answer == expected:
        return None
    said = f"{claim.where.path} says that {claim.subject} is {claim.value}"
    if isinstance(answer, int):
        return RuleFinding(f"{said}, but {address} answers {answer}", address, claim.where, str(expected), str(answer))
    return RuleFinding(f"{said}, but {address} does not answer: {answer}", address, claim.where, str(expected), answer)


def _build_unnamed(claim: Claim) -> RuleFinding:
    message = f"{claim.where.path} says that a deployment is {claim.value}, but gives no address to ask"
    return RuleFinding(message, "address", claim.where, "an address", "nothing")
