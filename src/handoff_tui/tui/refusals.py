"""Why an action cannot be done now: said in the key hints, in the help, and when its key is pressed."""

from __future__ import annotations

from handoff_tui.core.text.safe_text import render_safe
from handoff_tui.live.state.desk import DeskState

_OF_THE_OPERATOR = frozenset(
    f"agent.{name}"
    for name in (
        "step",
        "again",
        "back",
        "loop",
        "continue",
        "pause",
        "stop",
        "note",
        "unlock",
        "rollback",
        "undo-rollback",
    )
) | {"pipeline.step", "checks.trust"}
"""They start, end or change something."""
_OF_NOW = frozenset(
    {
        *(
            "checks.run",
            "checks.run-all",
            "checks.cancel",
            "checks.bisect",
            "diff.comment",
            "diff.range",
            "diff.baseline",
        ),
        *(
            "diff.mark-read",
            "diff.mark-unread",
            "diff.record",
            "document.comment",
            "document.range",
            "document.compare",
        ),
        *("app.edit", "app.rescan", "log.verify", "log.follow"),
    }
)
"""They concern what is here now: in the past they would do something to it, or show it."""


def find_refusal(action: str, state: DeskState, *, read_only: bool, views: tuple[str, ...]) -> str:
    """For actions that every view has; a view answers for its own."""
    scope, _, name = action.partition(".")
    if scope == "view":
        return "" if name in views else "this view is not built yet"
    if scope == "travel" or action == "log.time-travel":
        return _refuse_travel(name, state)
    if state.travel is not None and (scope in {"decide", "agent"} or action in _OF_NOW | _OF_THE_OPERATOR):
        return _describe_past(state)
    if action in _OF_THE_OPERATOR and read_only:
        return "the desk was opened with --read-only"
    if scope != "decide":
        return ""
    return "the desk was opened with --read-only" if read_only else _refuse_decision(state)


def _refuse_travel(name: str, state: DeskState) -> str:
    if name == "begin" and state.travel is not None:
        return "the desk shows how it was already; esc goes back to now"
    if name in {"begin", "time-travel"}:
        known = state.repository is not None and state.repository.state.value is not None
        return "" if known else "the repository is not read yet"
    if state.travel is None:
        return "the desk shows how it is now; T in the log goes back"
    return "" if name == "end" or state.travel.stops else "the stops are being read"


def _describe_past(state: DeskState) -> str:
    seen = state.travel.visited if state.travel is not None else None
    when = f"as of {render_safe(seen.stop.time[:10])}" if seen is not None else "while stops are read"
    return f"read-only {when}; esc goes back to now"


def _refuse_decision(state: DeskState) -> str:
    repository = state.repository
    if state.item is None or repository is None:
        return "no handoff is chosen"
    if repository.fatal:
        return "the log is not sound, so every gate is closed"
    if repository.refused:
        return f"every gate is closed: {repository.refused}"
    if repository.reviewer is None:
        return repository.reviewer_note or "nobody can sign here: handoff-tui init"
    return ""
