"""Why an action cannot be done now: said in the key hints, in the help, and when its key is pressed."""

from __future__ import annotations

from handoff_tui.models.desk_state import DeskState

_OF_THE_OPERATOR = frozenset(
    f"agent.{name}"
    for name in ("step", "again", "back", "continue", "pause", "stop", "note", "unlock", "rollback", "undo-rollback")
) | {"pipeline.step"}
"""They start, end or change something."""


def find_refusal(action: str, state: DeskState, *, read_only: bool, views: tuple[str, ...]) -> str:
    """For actions that every view has; a view answers for its own."""
    scope, _, name = action.partition(".")
    if scope == "view":
        return "" if name in views else "this view is not built yet"
    if action in _OF_THE_OPERATOR and read_only:
        return "the desk was opened with --read-only"
    if scope != "decide":
        return ""
    return "the desk was opened with --read-only" if read_only else _refuse_decision(state)


def _refuse_decision(state: DeskState) -> str:
    repository = state.repository
    if state.item is None or repository is None:
        return "no handoff is chosen"
    if repository.fatal:
        return "the log is not sound, so every gate is closed"
    if repository.reviewer is None:
        return repository.reviewer_note or "nobody can sign here: handoff-tui init"
    return ""
