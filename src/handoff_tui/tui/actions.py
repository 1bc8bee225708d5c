"""Which key does what, how hints show it, and why an action can't be done now."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from textual import events

from handoff_tui.config.keymap import MODAL_SCOPES, split_keys
from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.text.safe_text import render_safe

if TYPE_CHECKING:
    from handoff_tui.live.state.app import AppState

_CHANGING = frozenset({
    "agent.start", "agent.again", "agent.back", "agent.loop", "agent.pause", "agent.stop", "agent.note",
    "agent.unlock", "agent.rollback", "app.undo", "review.consent", "review.scope", "app.setup", "app.new",
})  # fmt: skip
"""Actions that start, stop or change something."""
_OF_NOW = frozenset({
    "review.run", "review.cancel", "review.bisect", "review.comment", "review.comments", "review.compare",
    "review.resolve", "review.mark", "review.unmark", "review.next", "review.take-in", "changes.snapshots",
    "app.edit", "app.rescan", "app.runs", "view.coverage", "app.follow",
})  # fmt: skip
"""Actions that work on the present, so they are refused while the app shows the past."""


def find_refusal(action: str, state: AppState, *, read_only: bool) -> str:
    """Says why an action that every view has can't be done now; empty if it can. Views answer for their own actions."""
    scope, _, name = action.partition(".")
    if scope == "travel":
        return _refuse_travel(name, state)
    if state.travel is not None and (scope in {"decide", "agent"} or action in _OF_NOW | _CHANGING):
        return _describe_past(state)
    if action in _CHANGING and read_only:
        return "the app was opened with --read-only"
    if action == "review.take-in" and not state.moved:
        return "nothing of this handoff has changed since you opened it"
    if scope != "decide":
        return ""
    return "the app was opened with --read-only" if read_only else _refuse_decision(state)


def _refuse_travel(name: str, state: AppState) -> str:
    if name == "begin" and state.travel is not None:
        return "already showing the past; esc returns to now"
    if name == "begin":
        known = state.repository is not None and state.repository.state.value is not None
        return "" if known else "the repository is still being read"
    if state.travel is None:
        return "showing the present; t travels back"
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
    if not repository.begun:
        return "nothing is signed here yet; i sets it up"
    if repository.reviewer is None:
        return repository.reviewer_note or "nobody can sign here yet"
    return ""


GROUPS: dict[str, str] = {
    "nav": "Move",
    "view": "Tabs",
    "focus": "Panes",
    "find": "Find",
    "review": "Review",
    "decide": "Decide (always asks)",
    "agent": "Agents",
    "changes": "Changes",
    "travel": "Time travel",
    "app": "App",
    "scope": "Own files",
    "decision": "This dialog",
}
"""The heading for the first word of an action id."""

_GLYPHS = {"up": "↑", "down": "↓", "left": "←", "right": "→", "enter": "↵"}
_SHOWN = {
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

    def __init__(self, keymap: Mapping[str, str], *, ascii_only: bool = False) -> None:
        self._shown = {} if ascii_only else _GLYPHS
        self._keys = {action: split_keys(keys) for action, keys in keymap.items()}
        self._holders: dict[str, list[str]] = {}
        for action, keys in self._keys.items():
            for key in keys:
                self._holders.setdefault(key, []).append(action)

    def find(self, event: events.Key, scopes: tuple[str, ...] = ()) -> str | None:
        """Returns the action for a key press; in a dialog its own actions, and those of the scopes it lets through."""
        holders = self._holders.get(spell_key(event), ())
        if not scopes:
            return next((action for action in holders if get_scope(action) not in MODAL_SCOPES), None)
        return next((action for scope in scopes for action in holders if get_scope(action) == scope), None)

    def list_actions(self) -> Iterator[str]:
        """Lists every action outside dialogs, including those without a key."""
        return (action for action in self._keys if get_scope(action) not in MODAL_SCOPES)

    def show(self, action: str) -> str:
        """Returns the first key as hints show it: `^p`, `↵`, `esc`."""
        return next(iter(self.show_all(action)), "")

    def show_all(self, action: str) -> tuple[str, ...]:
        return tuple(map(self._show_key, self._keys.get(action, ())))

    def _show_key(self, key: str) -> str:
        if key.startswith("ctrl+"):
            return f"^{key.removeprefix('ctrl+')}"
        return self._shown.get(key) or _SHOWN.get(key, key)


def get_scope(action: str) -> str:
    return action.partition(".")[0]


def spell_key(event: events.Key) -> str:
    """Returns a key press as the keymap spells it."""
    if event.character == " ":
        return "space"
    if event.character == ",":
        return "comma"
    return event.character if event.is_printable and event.character else event.key
