"""Nothing that blocks is left for a person to do, and no blocker is open."""

from __future__ import annotations

from collections.abc import Iterator

from handoff_tui.checks.context import Context
from handoff_tui.checks.contract import Found, Moment, Rule, System
from handoff_tui.checks.facts.document_problems import find_unreadable, read_json
from handoff_tui.core.severity import Severity
from handoff_tui.core.tasks import Blocker
from handoff_tui.handoffs.handoff import Handoff

_DIALECTS = ("gsd", "claude", "relay", "notes")
_ACTION = "human-action-"
_CHECKPOINT = "checkpoint"


def judge(context: Context) -> Iterator[Found]:
    handoffs = [handoff for handoff in context.handoffs() if handoff.dialect in _DIALECTS]
    if not handoffs:
        context.skip("no handoff of a public convention here")
    waiting: list[tuple[Handoff, Blocker]] = []
    for handoff in handoffs:
        yield from find_unreadable(context, [document.path for document in handoff.documents])
        waiting.extend((handoff, blocker) for blocker in handoff.blockers if _blocks(context, blocker))
    # people first: only they can act on theirs
    for handoff, blocker in sorted(waiting, key=lambda pair: not pair[1].needs_human):
        yield _build(handoff, blocker)


def _blocks(context: Context, blocker: Blocker) -> bool:
    """Whether it stands in the way. An action for a person does unless it says that it does not."""
    if not blocker.open or blocker.id == _CHECKPOINT:
        return False
    if not blocker.id.startswith(_ACTION):
        return True
    root = read_json(context, blocker.where.path)
    actions = root.get("human_actions_pending") if isinstance(root, dict) else None
    number = blocker.id.removeprefix(_ACTION)
    position = int(number) - 1 if number.isdecimal() else -1
    action = actions[position] if isinstance(actions, list) and 0 <= position < len(actions) else None
    return not (isinstance(action, dict) and action.get("blocking") is False)


def _build(handoff: Handoff, blocker: Blocker) -> Found:
    what = "a person must act" if blocker.needs_human else "a blocker is open"
    return Found(
        message=f"{handoff.id}: {what}: {blocker.title}",
        subject=f"{handoff.id} {blocker.title}",
        place=blocker.where,
        expected="done, or said not to block" if blocker.needs_human else "resolved",
        actual=blocker.status or "pending",
    )


HUMAN_ACTIONS_CLEARED = Rule(
    id="human-actions-cleared",
    system=System.PUBLIC,
    severity=Severity.HIGH,
    holds="No action that blocks waits for a person, and no blocker is open.",
    reads="blockers and human_actions_pending",
    remedy="Do what is named here, or resolve it, and take it off the list; then start work.",
    judge=judge,
    moments=(Moment.POST, Moment.GATE),
)
