"""Documents beside the work: each could be read, claims hold, approvals are a person's, own changes are listed."""

from __future__ import annotations

import re

from handoff_tui.checks.context import Context
from handoff_tui.checks.facts.approvals import describe_unsigned, find_approvals, find_unsigned, is_agent
from handoff_tui.checks.rule import READABLE, Findings, RuleFinding, critical_rule, high_rule, low_rule
from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.core.place import Place, ProblemLevel
from handoff_tui.handoffs.claim import Claim, ClaimKind, Verdict, VerdictState
from handoff_tui.handoffs.claims.blocking import may_block
from handoff_tui.handoffs.handoff import Handoff

_MOST_PATHS = 20


@low_rule(
    holds="A handoff's documents list the files that its commits change, and no others as changed.",
    reads="the files that documents list as changed, and the changes that belong to the handoff",
    remedy="List every changed file, and only those. If a change is somebody else's, give it to them: `submit --path`.",
)
def documents_list_own_changes(context: Context) -> Findings:
    handoffs = context.handoffs() or context.skip("no handoff here")
    if context.facts().shallow:
        context.skip("a shallow clone doesn't have all changes")
    for handoff in handoffs:
        yield from _judge(context, handoff)


def _judge(context: Context, handoff: Handoff) -> Findings:
    found = context.disagreements(handoff.id)
    false = {one.claim.subject for one in context.verdicts(handoff.id) if one.state is VerdictState.CONTRADICTED}
    others = {path: who for path, who in found.changed_by_others if path not in false}
    never = [path for path in found.never_changed if path not in others and path not in false and context.exists(path)]
    places = {claim.subject: claim.where for claim in reversed(handoff.claims)}
    yield from _list(handoff, "undeclared", "changed in its commits, not declared", dict.fromkeys(found.undeclared, ""))
    yield from _list(handoff, "never changed", "declared, never changed", dict.fromkeys(never, ""), places)
    yield from _list(handoff, "changed by others", "declared, last changed by", others, places)


def _list(
    handoff: Handoff, kind: str, words: str, paths: dict[str, str], places: dict[str | None, Place] | None = None
) -> Findings:
    """One finding for each path; of very many, one for the rest."""
    for path, who in list(paths.items())[:_MOST_PATHS]:
        message = f"{handoff.id}: {path}: {words} {who}".rstrip()
        yield RuleFinding(message, f"{handoff.id} {kind} {path}", (places or {}).get(path) or Place(path=path))
    rest = len(paths) - _MOST_PATHS
    if rest > 0:
        yield RuleFinding(f"{handoff.id}: {rest:,} more files: {words}", f"{handoff.id} {kind} more")


_JUDGED_ELSEWHERE = frozenset({ClaimKind.STATUS, ClaimKind.CHECK})


@high_rule(
    holds="No claim of a kind that may block is false.",
    reads="the claims of handoffs and what was measured",
    remedy="Make the claim true, or have it withdrawn. An agent's word is not evidence.",
)
def claims_hold(context: Context) -> Findings:
    yield from _report_false_claims(context, blocking=True)


@low_rule(
    holds="No other claim is false.",
    reads="the claims of kinds that may not block, and what was measured",
    remedy="Look for yourself: claims of this kind are misread too often to block (docs/checks.md says how often).",
)
def hints_hold(context: Context) -> Findings:
    yield from _report_false_claims(context, blocking=False)


def _report_false_claims(context: Context, *, blocking: bool) -> Findings:
    handoffs = context.handoffs() or context.skip("no handoff here")
    if not any(handoff.claims for handoff in handoffs):
        context.skip("nothing is claimed")
    for handoff in handoffs:
        for verdict in context.verdicts(handoff.id):
            claim = verdict.claim
            if verdict.state is not VerdictState.CONTRADICTED or claim.kind in _JUDGED_ELSEWHERE:
                continue
            if may_block(claim.kind, claim.where.path) is blocking:
                yield _report_claim(handoff, verdict)


def _report_claim(handoff: Handoff, verdict: Verdict) -> RuleFinding:
    claim = verdict.claim
    claimed = str(claim.value) if claim.value is not None else claim.subject or claim.text
    about = claim.subject or claimed
    message = f'{handoff.id}: "{claim.text}" does not hold: {verdict.evidence}'
    measured = str(verdict.measured) if verdict.measured is not None else claimed
    actual = measured if measured != claimed else verdict.evidence
    return RuleFinding(message, f"{handoff.id} {claim.kind.value} {about}", claim.where, claimed, actual)


@high_rule(
    holds="Every document of the handoffs is readable.",
    reads="problems found while reading handoffs",
    remedy="Have the document rewritten so that it can be read. Whatever couldn't be read wasn't checked.",
)
def problems_absent(context: Context) -> Findings:
    handoffs = context.handoffs()
    every = context.every_handoff()
    reviewed = {document.path for handoff in handoffs for document in handoff.documents}
    known = {document.path for handoff in every for document in handoff.documents}
    folders = {path.rpartition("/")[0] for path in reviewed}
    all_reviewed = len(handoffs) == len(every)
    errors = [problem for problem in context.problems() if problem.level is ProblemLevel.ERROR]
    if not handoffs and not errors:
        context.skip("no handoff here")
    for problem in errors:
        # a state file that is missing is nobody's document, but its handoff lies beside it
        stray = problem.path not in known and (all_reviewed or problem.path.rpartition("/")[0] in folders)
        if problem.path in reviewed or stray:
            message = f"{problem.path}: {problem.message}"
            subject = f"{problem.path} {problem.message.partition(':')[0]}"
            yield RuleFinding(message, subject, Place(path=problem.path, line=problem.line), READABLE, problem.message)


_APPROVING_FACT = compile_later(r"\b(?:approv\w*|verdict|greenlight|greenlit|sign-?off|evaluat\w*)\b", re.IGNORECASE)
_NEGATED = compile_later(r"\b(?:not|never|no|isn't|wasn't|nothing)\s+(?:been\s+|was\s+)?$", re.IGNORECASE)
_APPROVED = "APPROVED"


@critical_rule(
    holds="No approval is simulated, backfilled, automatic, or given by an agent, and the signed log has it.",
    reads="verdicts and approvals, the text beside them, and the signed log",
    remedy="Have a person review the work and approve it with handoff-tui. Remove the approval named here.",
)
def approvals_are_real(context: Context) -> Findings:
    handoffs = context.handoffs() or context.skip("no handoff here")
    words = re.compile(
        r"\b(?:" + "|".join(map(re.escape, context.settings.mosaic.simulation_words)) + r")\b", re.IGNORECASE
    )
    applies = False
    unsigned: list[str] = []
    faulty = False
    for handoff in handoffs:
        verdicts = [claim for claim in handoff.claims if claim.kind is ClaimKind.VERDICT]
        approvals = list(find_approvals(context, handoff))
        found = [
            *_judge_facts(handoff, words),
            *_judge_blockers(handoff, words),
            *(fault for claim in verdicts for fault in _judge_verdict(context, handoff, claim, words)),
        ]
        people = [claim.subject for claim in verdicts if claim.value == _APPROVED and claim.subject]
        unsigned += [said for name in people if (said := find_unsigned(context, handoff, name))]
        for approval in approvals:
            what, mark = f"{approval.field}: {approval.value}", find_mark(approval.beside, words)
            if mark is not None:
                found.append(_report_approval(handoff, what, approval.place, f"is marked {mark}"))
            elif approval.name and is_agent(context, handoff, approval.name):
                reason = f"is by {approval.name}, which is not a person"
                found.append(_report_approval(handoff, what, approval.place, reason))
            elif approval.name and (claim := find_unsigned(context, handoff, approval.name)):
                unsigned.append(claim)
        applies = applies or bool(verdicts or approvals or found)
        unique: dict[str, RuleFinding] = {}
        for one in found:
            unique.setdefault(one.subject, one)
        yield from unique.values()
        faulty = faulty or bool(unique)
    if not applies:
        context.skip("no approval is mentioned")
    if unsigned and not faulty:
        context.skip(describe_unsigned(unsigned))


def find_mark(text: str, words: re.Pattern[str]) -> str | None:
    """Returns the first word that marks an approval as not given, unless it is negated."""
    for match in words.finditer(text):
        if not _NEGATED.search(text[: match.start()][-20:]):
            return match.group().lower()
    return None


def _judge_facts(handoff: Handoff, words: re.Pattern[str]) -> Findings:
    for fact in handoff.facts:
        if fact.name == "backfill":
            message = f"{handoff.id}: its results were written after the fact: {fact.value}"
            expected = "results written when the work was done"
            yield RuleFinding(message, f"{handoff.id} results backfilled", fact.where, expected, "backfilled")
        elif _APPROVING_FACT.search(fact.name):
            mark = find_mark(fact.value, words)
            if mark is not None:
                yield _report_approval(handoff, fact.value, fact.where, f"is marked {mark}", f"fact {fact.name}")


def _judge_blockers(handoff: Handoff, words: re.Pattern[str]) -> Findings:
    """Finds blockers that nobody really closed."""
    for blocker in handoff.blockers:
        mark = find_mark(f"{blocker.status or ''}\n{blocker.evidence or ''}", words)
        if not blocker.open and mark is not None:
            yield _report_approval(
                handoff, f"{blocker.id} resolved", blocker.where, f"is marked {mark}", f"blocker {blocker.id}"
            )


def _judge_verdict(context: Context, handoff: Handoff, claim: Claim, words: re.Pattern[str]) -> Findings:
    mark = find_mark(f"{claim.text}\n{_read_beside(context, claim)}", words)
    subject = f"verdict {claim.subject or claim.where.path}"
    if mark is not None:
        yield _report_approval(handoff, claim.text, claim.where, f"is marked {mark}", subject)
    elif claim.value == _APPROVED and claim.subject and is_agent(context, handoff, claim.subject):
        yield _report_approval(
            handoff, claim.text, claim.where, f"is by {claim.subject}, which is not a person", subject
        )


def _read_beside(context: Context, claim: Claim) -> str:
    if claim.where.line is None:
        return ""
    near = context.settings.approvals.near_lines
    lines = (context.read_text(claim.where.path) or "").split("\n")
    return "\n".join(lines[max(0, claim.where.line - 1 - near) : claim.where.line + near])


def _report_approval(
    handoff: Handoff, what: str, place: Place | None, reason: str, subject: str | None = None
) -> RuleFinding:
    message = f'{handoff.id}: the approval "{what}" {reason}'
    return RuleFinding(message, f"{handoff.id} {subject or what}", place, "an approval that a person gave", reason)
