"""No checkpoint waits for a person."""

from __future__ import annotations

from collections.abc import Iterator

from handoff_tui.checks.context import Context
from handoff_tui.checks.contract import Found, Moment, Rule, System
from handoff_tui.checks.facts.document_problems import find_unreadable, read_json
from handoff_tui.core.place import Place
from handoff_tui.core.severity import Severity
from handoff_tui.handoffs.handoff import Handoff

_DIALECTS = ("claude", "gsd", "relay")
_FIELD = "checkpoint_pending"
_NOTHING = ("", "none", "null", "false", "no")


def judge(context: Context) -> Iterator[Found]:
    handoffs = [handoff for handoff in context.handoffs() if handoff.dialect in _DIALECTS]
    if not handoffs:
        context.skip("no handoff that can wait at a checkpoint")
    for handoff in handoffs:
        paths = [document.path for document in handoff.documents if document.path.lower().endswith(".json")]
        yield from find_unreadable(context, paths)
        for path in paths:
            root = read_json(context, path)
            value = root.get(_FIELD) if isinstance(root, dict) else None
            if value is not None and value is not False and str(value).strip().lower() not in _NOTHING:
                yield Found(
                    message=f"{handoff.id} waits for a person at the checkpoint {value}",
                    subject=f"{handoff.id} {_FIELD}",
                    place=_find_place(handoff, path),
                    expected="no checkpoint pending",
                    actual=str(value),
                )


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
    judge=judge,
    moments=(Moment.POST, Moment.GATE),
)
