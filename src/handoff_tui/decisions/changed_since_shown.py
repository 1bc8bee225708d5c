"""Finds what has changed in a handoff's scope since it was examined. Work outside the scope disturbs no decision."""

from __future__ import annotations

from collections.abc import Sequence

from handoff_tui.core.errors import DecisionForbiddenError
from handoff_tui.core.text.labels import name_some, plural
from handoff_tui.decisions.examine import ExaminedGate
from handoff_tui.handoffs.read_handoffs import read_repository
from handoff_tui.handoffs.session import reopen_session

_NAMED = 5


def refuse_changed(examined: ExaminedGate) -> None:
    """Looks at the handoff and its files again; raises if any of them has changed."""
    changes = find_changes_since(examined)
    if changes:
        raise DecisionForbiddenError(
            f"the work has changed since it was shown, so nothing was signed: {'; '.join(changes)}",
            "Look again, then decide.",
        )


def find_changes_since(examined: ExaminedGate) -> tuple[str, ...]:
    """Says in words what has changed since the examination; empty if nothing has."""
    session = reopen_session(examined.session)
    handoffs = read_repository(session).result.handoffs
    now = next((handoff for handoff in handoffs if handoff.id == examined.handoff.id), None)
    if now is None:
        return ("the handoff is gone",)
    gates = examined.gates.renew(session, handoffs)
    question = gates.ask(now, examined.key.phase)
    changes: list[str] = []
    if paths := examined.scope.compare_bound(gates.work.scopes.of(now.id)):
        changes.append(f"{plural(len(paths), 'file')} changed: {name_files(paths)}")
    if question.subject.handoff != examined.subject.handoff:
        changes.append("the handoff was edited")
    if question.key != examined.key:
        changes.append(f"this is attempt {question.key.attempt} now")
    return tuple(changes)


def name_files(paths: Sequence[str]) -> str:
    """`a.py, b.py and 3 more`."""
    names = [path.replace("\n", "\\n") for path in paths]  # a line end in a name must not start a line of ours
    return name_some(names, _NAMED)
