"""The keymap as data: every action by id, its keys and words, and which keys would collide."""

from __future__ import annotations

from typing import Annotated, Any

from handoff_tui.config.nearest import suggest
from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.core.model import Checked, Prepared

MODAL_SCOPES = frozenset({"decision", "scope"})
"""Dialogs: no key of any view works while one is open."""

ACTIONS: dict[str, tuple[str, str]] = {
    "nav.down": ("j,down", "down"),
    "nav.up": ("k,up", "up"),
    "nav.left": ("h,left", "left"),
    "nav.right": ("l,right", "right"),
    "nav.top": ("g,home", "top"),
    "nav.bottom": ("G,end", "bottom"),
    "nav.half-page-down": ("ctrl+d", "half a page down"),
    "nav.half-page-up": ("ctrl+u", "half a page up"),
    "nav.page-down": ("pagedown", "page down"),
    "nav.page-up": ("pageup", "page up"),
    "nav.next-section": ("]", "next hunk"),
    "nav.previous-section": ("[", "previous hunk"),
    "nav.next-file": ("}", "next file"),
    "nav.previous-file": ("{", "previous file"),
    "nav.next-handoff": ("J", "next handoff"),
    "nav.previous-handoff": ("K", "previous handoff"),
    "view.1": ("1", "first tab"),
    "view.2": ("2", "second tab"),
    "view.3": ("3", "third tab"),
    "view.4": ("4", "fourth tab"),
    "view.5": ("5", "fifth tab"),
    "view.6": ("6", "sixth tab"),
    "view.queue": ("", "queue"),
    "view.log": ("", "log"),
    "view.metrics": ("", "metrics"),
    "view.coverage": ("%", "coverage"),
    "view.overview": ("", "overview"),
    "view.changes": ("", "changes"),
    "view.evidence": ("", "evidence"),
    "view.documents": ("", "documents"),
    "view.agent": ("", "agent"),
    "view.history": ("", "history"),
    "focus.next": ("tab", "next pane"),
    "focus.previous": ("shift+tab", "previous pane"),
    "focus.zoom": ("z", "zoom the pane"),
    "find.open": ("/", "find"),
    "find.next": ("n", "find next"),
    "find.previous": ("N", "find previous"),
    "app.open": ("enter", "open"),
    "app.back": ("escape", "back"),
    "app.quit": ("q", "quit"),
    "app.interrupt": ("ctrl+c", "interrupt"),
    "app.suspend": ("ctrl+z", "suspend"),
    "app.palette": ("ctrl+p,:", "everything"),
    "app.help": ("?,f1", "help"),
    "app.edit": ("o", "open in the editor"),
    "app.copy": ("y", "copy"),
    "app.copy-all": ("Y", "copy the path"),
    "app.redraw": ("ctrl+l", "redraw"),
    "app.rescan": ("ctrl+r", "read everything again"),
    "app.screenshot": ("", "screenshot"),
    "app.setup": ("i", "set up…"),
    "app.new": ("", "new handoff…"),
    "app.runs": ("&", "runs and workers"),
    "app.theme": ("T", "theme…"),
    "app.undo": ("u", "undo…"),
    "app.follow": ("F", "follow"),
    "review.next": ("space", "next thing"),
    "review.mark": ("m", "mark read"),
    "review.unmark": ("M", "mark unread"),
    "review.comment": ("c", "comment"),
    "review.comments": ("C", "comments"),
    "review.resolve": ("d", "settle the comment"),
    "review.select": ("v", "select"),
    "review.lens": ("w", "own or all files"),
    "review.filter": ("f", "filter"),
    "review.run": ("R", "run again"),
    "review.cancel": ("X", "cancel the checks"),
    "review.bisect": ("b", "since when…"),
    "review.compare": ("D", "compare…"),
    "review.form": ("V", "other form"),
    "review.explain": ("E", "why it fails"),
    "review.scope": ("O", "own files…"),
    "review.take-in": (".", "take in changes"),
    "review.consent": ("", "consent to commands…"),
    "decide.approve": ("a", "approve…"),
    "decide.reject": ("x", "send back…"),
    "decide.retry": ("r", "retry…"),
    "decide.choose": ("A", "decide…"),
    "decide.override": ("", "override…"),
    "decide.skip": ("", "skip…"),
    "decide.hold": ("", "hold…"),
    "decide.withdraw": ("", "withdraw…"),
    "decide.carry": ("", "carry over…"),
    "travel.begin": ("t", "time travel…"),
    "travel.previous": ("<", "previous stop"),
    "travel.next": (">", "next stop"),
    "travel.first": ("(", "first stop"),
    "travel.last": (")", "last stop"),
    "travel.end": ("", "return to now"),
    "changes.wrap": ("W", "wrap"),
    "changes.whitespace": ("=", "whitespace"),
    "changes.more-context": ("+", "more context"),
    "changes.less-context": ("-", "less context"),
    "changes.snapshots": ("I", "snapshot diff or files"),
    "agent.start": ("s", "start agent…"),
    "agent.stop": ("S", "stop agent…"),
    "agent.pause": ("p", "pause or go on"),
    "agent.note": ("e", "note to the agent…"),
    "agent.loop": ("L", "run to the next gate…"),
    "agent.proofs": ("P", "proofs of work"),
    "agent.rollback": ("B", "roll back…"),
    "agent.again": ("", "same phase again…"),
    "agent.back": ("", "previous phase…"),
    "agent.breakpoint": ("", "breakpoint…"),
    "agent.inputs": ("", "inputs or output"),
    "agent.changes": ("", "changes of this run"),
    "agent.unlock": ("", "break a lock…"),
    "scope.toggle": ("space,enter", "claim or release"),
    "scope.start": ("b", "since when…"),
    "scope.undo": ("u", "undo the last"),
    "decision.confirm": ("ctrl+s", "sign"),
    "decision.edit-reason": ("ctrl+e", "edit the reason"),
    "decision.template": ("ctrl+t", "template…"),
    "decision.again": ("ctrl+r", "look again"),
    "decision.difference": ("ctrl+f", "show changes"),
    "decision.digests": ("d", "digests"),
    "decision.cancel": ("escape", "cancel"),
}
"""Each action by id: its keys, separated by commas, and its words on screen; words that end in … ask first.

A key means one thing in every view; only an open dialog has keys of its own.
"""
_RENAMED = {
    "app.scope": "review.scope",
    "app.take-in": "review.take-in",
    "pipeline.step": "agent.start",
    "pipeline.diff": "view.changes",
    "checks.run": "review.run",
    "checks.cancel": "review.cancel",
    "checks.only-failing": "review.filter",
    "checks.open-file": "app.open",
    "checks.trust": "review.consent",
    "checks.bisect": "review.bisect",
    "claims.only-contradicted": "review.filter",
    "claims.open-file": "app.open",
    "diff.next-hunk": "nav.next-section",
    "diff.previous-hunk": "nav.previous-section",
    "diff.next-file": "nav.next-file",
    "diff.previous-file": "nav.previous-file",
    "diff.next-unread": "review.next",
    "diff.mode": "review.form",
    "diff.mark-read": "review.mark",
    "diff.mark-unread": "review.unmark",
    "diff.wrap": "changes.wrap",
    "diff.whitespace": "changes.whitespace",
    "diff.more-context": "changes.more-context",
    "diff.less-context": "changes.less-context",
    "diff.comment": "review.comment",
    "diff.range": "review.select",
    "diff.baseline": "review.compare",
    "diff.record": "changes.snapshots",
    "document.next-section": "nav.next-section",
    "document.previous-section": "nav.previous-section",
    "document.outline": "focus.zoom",
    "document.compare": "review.compare",
    "document.comment": "review.comment",
    "document.range": "review.select",
    "document.raw": "review.form",
    "document.next": "nav.next-file",
    "document.previous": "nav.previous-file",
    "log.verify": "review.run",
    "log.time-travel": "travel.begin",
    "log.follow": "app.follow",
    "log.open-file": "app.open",
    "agent.step": "agent.start",
    "agent.continue": "agent.pause",
    "agent.follow": "app.follow",
    "agent.next-try": "nav.next-section",
    "agent.previous-try": "nav.previous-section",
    "agent.compare": "review.compare",
    "agent.diff": "agent.changes",
    "agent.wrap": "changes.wrap",
    "agent.open-file": "app.edit",
    "agent.report": "review.form",
    "agent.undo-rollback": "app.undo",
    "attempts.compare": "review.compare",
    "attempts.mark": "review.select",
    "attempts.failure": "review.explain",
    "attempts.diff": "view.changes",
    "figures.only-missed": "review.filter",
    "coverage.only-open": "review.filter",
}
"""Actions of earlier versions and what they are called now; several may have become one."""
_GONE = {
    **dict.fromkeys(
        ("view.inbox", "view.pipeline", "view.checks", "view.diff", "view.document", "view.claims", "view.attempts"),
        "digits choose the tabs you see: view.1 to view.6",
    ),
    "view.figures": "it is view.metrics now, and digits choose the tabs you see",
    "inbox.sort": "the queue is sorted by what you can do",
    "checks.run-all": "review.run runs the checks in view",
}
DEFAULT_KEYMAP = {action: keys for action, (keys, _) in ACTIONS.items()}
WORDS = {action: words for action, (_, words) in ACTIONS.items()}

_CONFIRM = "decision.confirm"
_NAMED = (
    "up|down|left|right|home|end|pageup|pagedown|tab|enter|escape|space|backspace|delete|insert|comma"
    "|f(?:[1-9]|1[0-9]|2[0-4])"
)
_KEY = compile_later(rf"(?:(?:ctrl|alt|shift|super)\+)*(?:[!-+\--~]|{_NAMED})")
_DELIBERATE = compile_later(r"ctrl\+[a-gk-ln-z]|f\d+")
"""Not ctrl with h, i, j or m: terminals send those for backspace, tab and the line ends of a pasted text."""


def _refuse_unknown_action(action: str) -> str:
    if action in _GONE:
        raise ValueError(f"there is no such action any more: {_GONE[action]}")
    if action not in DEFAULT_KEYMAP:
        raise ValueError(f"there is no such action; {suggest(action, DEFAULT_KEYMAP)}")
    return action


def _refuse_odd_keys(keys: str) -> str:
    for key in split_keys(keys):
        if not _KEY.fullmatch(key):
            raise ValueError(f"{key!r} is not a key; write one as in j, G, ctrl+p, shift+tab, pagedown, f1 or comma")
    return keys


def _refuse_collisions(keymap: dict[str, str]) -> dict[str, str]:
    collisions = find_collisions(keymap)
    if collisions:
        raise ValueError("; ".join(collisions))
    for key in split_keys(keymap.get(_CONFIRM, "")):
        if not _DELIBERATE.fullmatch(key):
            raise ValueError(f"{_CONFIRM} cannot be {key!r}: a decision needs ctrl with a letter, or a function key")
    return keymap


def split_keys(keys: str) -> tuple[str, ...]:
    """The single keys of `j,down`; empty if the action has no key."""
    return tuple(key.strip() for key in keys.split(",")) if keys.strip() else ()


def find_collisions(keymap: dict[str, str]) -> tuple[str, ...]:
    """Keys that would do two things in one view, each as a sentence."""
    holders: dict[str, list[str]] = {}
    for action, keys in keymap.items():
        for key in split_keys(keys):
            holders.setdefault(key, []).append(action)
    return tuple(
        f"the key {key} is given to both {first} and {second}"
        for key, actions in holders.items()
        for position, first in enumerate(actions)
        for second in actions[position + 1 :]
        if _meet(first, second)
    )


def _meet(first: str, second: str) -> bool:
    scopes = (first.partition(".")[0], second.partition(".")[0])
    return scopes[0] == scopes[1] or MODAL_SCOPES.isdisjoint(scopes)


def _rename_old_actions(keymap: Any) -> Any:  # noqa: ANN401 - whatever the file holds; the rest of the checks follow
    """Takes over keys that were given to an action under its earlier name."""
    if not isinstance(keymap, dict):
        return keymap
    renamed = {action: keys for action, keys in keymap.items() if action not in _RENAMED}
    for action, keys in keymap.items():
        if (name := _RENAMED.get(action)) is None:
            continue
        if renamed.get(name) not in (None, DEFAULT_KEYMAP[name], keys):
            raise ValueError(f"{action} is {name} now, which already has the key {renamed[name]}; keep one of them")
        renamed[name] = keys
    return renamed


ActionId = Annotated[str, Checked(_refuse_unknown_action)]
KeyNames = Annotated[str, Checked(_refuse_odd_keys)]
Keymap = Annotated[
    dict[ActionId, KeyNames],
    Checked(_refuse_collisions, {"propertyNames": {"enum": list(DEFAULT_KEYMAP)}}),
    Prepared(_rename_old_actions),
]
