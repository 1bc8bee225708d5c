"""A deployment that is said to be live answers as a healthy one does. Asked only with the user's consent."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import urlsplit

from handoff_tui.checks.context import Context
from handoff_tui.checks.contract import Found, Moment, Rule, System
from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.core.severity import Severity
from handoff_tui.handoffs.claim import Claim, ClaimKind

_WORD = compile_later(r"[^\W_]+")


def judge(context: Context) -> Iterator[Found]:
    claims = [claim for handoff in context.handoffs() for claim in handoff.claims if _says_live(context, claim)]
    if not claims:
        context.skip("no deployment is said to be live")
    asked: dict[str, Claim] = {}
    for claim in claims:
        if claim.subject is not None:
            asked.setdefault(_build_address(context, claim), claim)
    found = [_judge_answer(context, address, claim) for address, claim in asked.items()]
    if not asked:
        yield _build_unnamed(claims[0])
    yield from (finding for finding in found if finding is not None)


def _says_live(context: Context, claim: Claim) -> bool:
    """Whether the first word of a claimed state is one of those that mean reachable: «not live» is none."""
    if claim.kind is not ClaimKind.DEPLOYMENT:
        return False
    words = _WORD.findall(str(claim.value))
    return bool(words) and words[0].lower() in context.setting("mosaic.health.live_words", tuple)


def _build_address(context: Context, claim: Claim) -> str:
    """The claimed address with the path of the health check; a page that a document names is asked as it is."""
    address = (claim.subject or "").rstrip("/")
    names_a_page = not claim.where.path.endswith(".json") and urlsplit(address).path
    return address if names_a_page else address + context.setting("mosaic.health.path", str)


def _judge_answer(context: Context, address: str, claim: Claim) -> Found | None:
    answer = context.answers(address)
    if answer is None:
        context.skip("asking the deployment needs your consent to use the network")
    expected = context.setting("mosaic.health.expected_status", int)
    if answer == expected:
        return None
    said = f"{claim.where.path} says that {claim.subject} is {claim.value}"
    if isinstance(answer, int):
        return Found(f"{said}, but {address} answers {answer}", address, claim.where, str(expected), str(answer))
    return Found(f"{said}, but {address} does not answer: {answer}", address, claim.where, str(expected), answer)


def _build_unnamed(claim: Claim) -> Found:
    message = f"{claim.where.path} says that a deployment is {claim.value}, but gives no address to ask"
    return Found(message, "address", claim.where, "an address", "nothing")


DEPLOYMENT_ANSWERS = Rule(
    id="deployment-answers",
    system=System.MOSAIC,
    severity=Severity.MEDIUM,
    blocking=False,
    holds="Every deployment that is said to be live answers.",
    reads="what handoffs say about deployments; their addresses, with consent to use the network",
    remedy="Bring the deployment up, or say in the state that it is not live.",
    judge=judge,
    moments=(Moment.PRE, Moment.POST),
)
