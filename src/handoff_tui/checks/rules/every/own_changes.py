"""The documents of a handoff list the changes that are its own."""

from __future__ import annotations

from handoff_tui.checks.context import Context
from handoff_tui.checks.rule import Findings, RuleFinding, low_rule
from handoff_tui.core.place import Place
from handoff_tui.handoffs.claim import VerdictState
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
