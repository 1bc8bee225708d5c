"""Which key does what, how hints show it, and why an action can't be done now."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

from textual import events

from handoff_tui.config.keymap import GLOBAL_SCOPES, split_keys
from handoff_tui.core.text.safe_text import render_safe

if TYPE_CHECKING:
    from handoff_tui.live.state.app import AppState

_OF_THE_OPERATOR = frozenset({
    "agent.step", "agent.again", "agent.back", "agent.loop", "agent.continue", "agent.pause", "agent.stop",
    "agent.note", "agent.unlock", "agent.rollback", "agent.undo-rollback", "pipeline.step", "checks.trust",
    "app.scope",
})  # fmt: skip
"""Actions that start, stop or change something."""
_OF_NOW = frozenset({
    "checks.run", "checks.run-all", "checks.cancel", "checks.bisect", "diff.comment", "diff.range", "diff.baseline",
    "diff.mark-read", "diff.mark-unread", "diff.record", "document.comment", "document.range", "document.compare",
    "app.edit", "app.rescan", "app.scope", "app.take-in", "view.coverage", "log.verify", "log.follow",
})  # fmt: skip
"""Actions that work on the present, so they are refused while the app shows the past."""


def find_refusal(action: str, state: AppState, *, read_only: bool) -> str:
    """Says why an action that every view has can't be done now; empty if it can. Views answer for their own actions."""
    scope, _, name = action.partition(".")
    if scope == "travel" or action == "log.time-travel":
        return _refuse_travel(name, state)
    if state.travel is not None and (scope in {"decide", "agent"} or action in _OF_NOW | _OF_THE_OPERATOR):
        return _describe_past(state)
    if action in _OF_THE_OPERATOR and read_only:
        return "the app was opened with --read-only"
    if action == "app.take-in" and not state.moved:
        return "nothing of this handoff has changed since you opened it"
    if scope != "decide":
        return ""
    return "the app was opened with --read-only" if read_only else _refuse_decision(state)


def _refuse_travel(name: str, state: AppState) -> str:
    if name == "begin" and state.travel is not None:
        return "already showing the past; esc returns to now"
    if name in {"begin", "time-travel"}:
        known = state.repository is not None and state.repository.state.value is not None
        return "" if known else "the repository is still being read"
    if state.travel is None:
        return "showing the present; T in the log travels back"
    return "" if name == "end" or state.travel.stops else "the stops are still being read"


def _describe_past(state: AppState) -> str:
    seen = state.travel.visited if state.travel is not None else None
    when = f"as of {render_safe(seen.stop.time[:10])}" if seen is not None else "while the stops are being read"
    return f"read-only {when}; esc returns to now"


def _refuse_decision(state: AppState) -> str:
    repository = state.repository
    if state.item is None or repository is None:
        return "no handoff selected"
    if repository.fatal:
        return "the log isn't intact, so every gate is closed"
    if repository.refused:
        return f"every gate is closed: {repository.refused}"
    if repository.reviewer is None:
        return repository.reviewer_note or "nobody can sign here; run handoff-tui init"
    return ""


GROUPS: dict[str, str] = {
    "nav": "Move",
    "view": "Views",
    "focus": "Panels",
    "find": "Find",
    "app": "App",
    "decide": "Decide (always asks)",
    "travel": "Time travel",
    "inbox": "Inbox",
    "pipeline": "Pipeline",
    "checks": "Checks",
    "claims": "Claims",
    "diff": "Diff",
    "document": "Documents",
    "log": "Log",
    "agent": "Agent",
    "attempts": "Attempts",
    "figures": "Metrics",
    "coverage": "Coverage",
    "scope": "Own files",
    "decision": "This dialog",
}
"""The heading for the first word of an action id."""

_SHOWN = {
    "up": "↑",
    "down": "↓",
    "left": "←",
    "right": "→",
    "enter": "↵",
    "escape": "esc",
    "pagedown": "pgdn",
    "pageup": "pgup",
    "comma": ",",
}


class Hint(NamedTuple):
    """A key, what it does here, and the reason if it can't be used now."""

    action: str
    key: str
    words: str
    refusal: str = ""


class Keys:
    """The keymap: which key does what."""

    def __init__(self, keymap: Mapping[str, str]) -> None:
        self._keys = {action: split_keys(keys) for action, keys in keymap.items()}
        self._holders: dict[str, list[str]] = {}
        for action, keys in self._keys.items():
            for key in keys:
                self._holders.setdefault(key, []).append(action)

    def find(self, event: events.Key, scopes: tuple[str, ...]) -> str | None:
        """Returns the action for a key press; the first scope that has one wins."""
        holders = self._holders.get(spell_key(event), ())
        for scope in scopes:
            for action in holders:
                if get_scope(action) == scope:
                    return action
        return None

    def list_actions(self, scope: str) -> Iterator[str]:
        """Lists the actions of a view and those every view has, including actions without a key."""
        for action in self._keys:
            if get_scope(action) == scope or get_scope(action) in GLOBAL_SCOPES:
                yield action

    def show(self, action: str) -> str:
        """Returns the first key as hints show it: `^p`, `↵`, `esc`."""
        return next(iter(self.show_all(action)), "")

    def show_all(self, action: str) -> tuple[str, ...]:
        return tuple(map(_show_key, self._keys.get(action, ())))


def get_scope(action: str) -> str:
    return action.partition(".")[0]


def spell_key(event: events.Key) -> str:
    """Returns a key press as the keymap spells it."""
    if event.character == " ":
        return "space"
    if event.character == ",":
        return "comma"
    return event.character if event.is_printable and event.character else event.key


def _show_key(key: str) -> str:
    if key.startswith("ctrl+"):
        return f"^{key.removeprefix('ctrl+')}"
    return _SHOWN.get(key, key)
