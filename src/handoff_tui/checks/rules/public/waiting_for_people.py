"""No checkpoint, action or blocker waits for a person."""

from __future__ import annotations

from collections.abc import Iterator

from handoff_tui.checks.context import Context
from handoff_tui.checks.facts.documents import find_unreadable, read_json
from handoff_tui.checks.rule import Moment, Rule, RuleFinding, System
from handoff_tui.core.place import Place
from handoff_tui.core.severity import Severity
from handoff_tui.core.tasks import Blocker
from handoff_tui.handoffs.handoff import Handoff

_WITH_CHECKPOINTS = ("claude", "gsd", "relay")
_FIELD = "checkpoint_pending"
_NOTHING = ("", "none", "null", "false", "no")


def _judge_checkpoints(context: Context) -> Iterator[RuleFinding]:
    handoffs = [handoff for handoff in context.handoffs() if handoff.dialect in _WITH_CHECKPOINTS]
    if not handoffs:
        context.skip("no handoff format with checkpoints here")
    for handoff in handoffs:
        paths = [document.path for document in handoff.documents if document.path.lower().endswith(".json")]
        yield from find_unreadable(context, paths)
        for path in paths:
            root = read_json(context, path)
            value = root.get(_FIELD) if isinstance(root, dict) else None
            if value is not None and value is not False and str(value).strip().lower() not in _NOTHING:
                message = f"{handoff.id} waits for a person at the checkpoint {value}"
                expected = "no checkpoint pending"
                yield RuleFinding(message, f"{handoff.id} {_FIELD}", _find_place(handoff, path), expected, str(value))


def _find_place(handoff: Handoff, path: str) -> Place:
    places = (blocker.where for blocker in handoff.blockers if blocker.id == "checkpoint")
    return next((place for place in places if place.path == path), Place(path=path))


CHECKPOINT_CLEARED = Rule(
    id="checkpoint-cleared",
    system=System.PUBLIC,
    severity=Severity.HIGH,
    holds="No checkpoint waits for a person.",
    reads="checkpoint_pending",
    remedy="Answer what the checkpoint asks, then remove checkpoint_pending from the handoff.",
    judge=_judge_checkpoints,
    moments=(Moment.POST, Moment.GATE),
)


_DIALECTS = ("gsd", "claude", "relay", "notes")
_ACTION = "human-action-"
_CHECKPOINT = "checkpoint"


def _judge_actions(context: Context) -> Iterator[RuleFinding]:
    handoffs = [handoff for handoff in context.handoffs() if handoff.dialect in _DIALECTS]
    if not handoffs:
        context.skip("no handoff in a public format here")
    waiting: list[tuple[Handoff, Blocker]] = []
    for handoff in handoffs:
        yield from find_unreadable(context, [document.path for document in handoff.documents])
        waiting.extend((handoff, blocker) for blocker in handoff.blockers if _blocks(context, blocker))
    # people first: only they can act on theirs
    for handoff, blocker in sorted(waiting, key=lambda pair: not pair[1].needs_human):
        yield _build_waiting(handoff, blocker)


def _blocks(context: Context, blocker: Blocker) -> bool:
    """Returns whether it blocks. An action for a person does, unless it says otherwise."""
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


def _build_waiting(handoff: Handoff, blocker: Blocker) -> RuleFinding:
    what = "a person must act" if blocker.needs_human else "a blocker is open"
    message = f"{handoff.id}: {what}: {blocker.title}"
    expected = "done, or said not to block" if blocker.needs_human else "resolved"
    return RuleFinding(message, f"{handoff.id} {blocker.title}", blocker.where, expected, blocker.status or "pending")


HUMAN_ACTIONS_CLEARED = Rule(
    id="human-actions-cleared",
    system=System.PUBLIC,
    severity=Severity.HIGH,
    holds="No blocking action waits for a person, and no blocker is open.",
    reads="blockers and human_actions_pending",
    remedy="Do or resolve what is listed here and take it off the list. Then start work.",
    judge=_judge_actions,
    moments=(Moment.POST, Moment.GATE),
)
