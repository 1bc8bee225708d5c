"""The keymap as data: every action by id, its keys and words, and which keys would collide."""

from __future__ import annotations

from typing import Annotated

from handoff_tui.config.nearest import suggest
from handoff_tui.core.constraints import Checked
from handoff_tui.core.lazy_pattern import compile_later

GLOBAL_SCOPES = ("nav", "view", "focus", "find", "app", "decide", "travel")
"""Actions that every view has; their keys mean the same everywhere."""
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
    "nav.page-down": ("space,pagedown", "page down"),
    "nav.page-up": ("pageup", "page up"),
    "view.inbox": ("1", "inbox"),
    "view.pipeline": ("2", "pipeline"),
    "view.checks": ("3", "checks"),
    "view.diff": ("4", "diff"),
    "view.document": ("5", "documents"),
    "view.log": ("6", "log"),
    "view.agent": ("7", "agent"),
    "view.claims": ("8", "claims"),
    "view.attempts": ("9", "attempts"),
    "view.figures": ("0", "metrics"),
    "view.coverage": ("%", "coverage"),
    "focus.next": ("tab", "next panel"),
    "focus.previous": ("shift+tab", "previous panel"),
    "find.open": ("/", "find"),
    "find.next": ("n", "find next"),
    "find.previous": ("N", "find previous"),
    "app.back": ("escape", "back"),
    "app.quit": ("q", "quit"),
    "app.interrupt": ("ctrl+c", "interrupt"),
    "app.suspend": ("ctrl+z", "suspend"),
    "app.palette": ("ctrl+p,:", "commands"),
    "app.help": ("?,f1", "help"),
    "app.open": ("enter", "open"),
    "app.edit": ("e", "editor"),
    "app.copy": ("y", "copy"),
    "app.copy-all": ("Y", "copy path"),
    "app.redraw": ("ctrl+l", "redraw"),
    "app.rescan": ("ctrl+r", "read everything again"),
    "app.screenshot": ("S", "screenshot"),
    "app.theme": ("ctrl+t", "theme…"),
    "app.scope": ("O", "own files…"),
    "app.take-in": (".", "take in changes"),
    "decide.approve": ("a", "approve…"),
    "decide.reject": ("x", "reject…"),
    "decide.retry": ("r", "retry…"),
    "decide.withdraw": ("z", "withdraw…"),
    "decide.choose": ("A", "decide…"),
    "decide.skip": ("", "skip…"),
    "decide.override": ("", "override…"),
    "decide.hold": ("", "hold…"),
    "decide.carry": ("", "carry…"),
    "travel.begin": ("", "time travel…"),
    "travel.previous": ("<", "previous stop"),
    "travel.next": (">", "next stop"),
    "travel.first": ("(", "first stop"),
    "travel.last": (")", "last stop"),
    "travel.end": ("", "return to now"),
    "inbox.sort": ("s", "sort"),
    "pipeline.step": ("s", "start agent…"),
    "pipeline.diff": ("d", "diff"),
    "checks.run": ("R", "re-run"),
    "checks.run-all": ("F", "re-run all"),
    "checks.cancel": ("X", "cancel"),
    "checks.only-failing": ("f", "only failing"),
    "checks.open-file": ("o", "open file"),
    "checks.trust": ("T", "consent to commands…"),
    "checks.bisect": ("b", "find the commit that broke it…"),
    "claims.only-contradicted": ("f", "only false"),
    "claims.open-file": ("o", "open line"),
    "diff.next-hunk": ("]", "next hunk"),
    "diff.previous-hunk": ("[", "previous hunk"),
    "diff.next-file": ("}", "next file"),
    "diff.previous-file": ("{", "previous file"),
    "diff.next-unread": ("u", "next unread"),
    "diff.mode": ("v", "split or unified"),
    "diff.mark-read": ("m", "mark read"),
    "diff.mark-unread": ("M", "mark unread"),
    "diff.wrap": ("w", "wrap"),
    "diff.whitespace": ("W", "whitespace"),
    "diff.more-context": ("+", "more context"),
    "diff.less-context": ("-", "less context"),
    "diff.comment": ("c", "comment"),
    "diff.range": ("V", "range"),
    "diff.baseline": ("b", "compare with…"),
    "diff.record": ("i", "snapshot diff or files"),
    "document.next-section": ("]", "next section"),
    "document.previous-section": ("[", "previous section"),
    "document.outline": ("o", "outline"),
    "document.compare": ("D", "compare"),
    "document.comment": ("c", "comment"),
    "document.range": ("V", "range"),
    "document.raw": ("v", "raw or rendered"),
    "document.next": ("}", "next document"),
    "document.previous": ("{", "previous document"),
    "log.verify": ("v", "verify now"),
    "log.time-travel": ("T", "time travel…"),
    "log.follow": ("f", "follow"),
    "log.open-file": ("o", "open handoff"),
    "agent.step": ("s", "start…"),
    "agent.continue": ("c", "continue"),
    "agent.pause": ("p", "pause"),
    "agent.stop": ("X", "stop…"),
    "agent.breakpoint": ("t", "breakpoint…"),
    "agent.follow": ("f", "follow"),
    "agent.next-try": ("]", "next run"),
    "agent.previous-try": ("[", "previous run"),
    "agent.compare": ("D", "compare runs"),
    "agent.inputs": ("i", "inputs or output"),
    "agent.diff": ("d", "diff"),
    "agent.wrap": ("w", "wrap"),
    "agent.open-file": ("o", "open a file it mentions"),
    "agent.report": ("v", "outcome or output"),
    "agent.note": ("m", "note to the agent…"),
    "agent.again": ("R", "same phase again…"),
    "agent.back": ("b", "previous phase…"),
    "agent.loop": ("C", "run to the next gate…"),
    "agent.proofs": ("P", "proofs of work"),
    "agent.unlock": ("L", "break a lock…"),
    "agent.rollback": ("B", "roll back…"),
    "agent.undo-rollback": ("U", "undo a rollback…"),
    "attempts.compare": ("D", "compare"),
    "attempts.mark": ("m", "mark to compare"),
    "attempts.failure": ("o", "why it fails"),
    "attempts.diff": ("d", "diff"),
    "figures.only-missed": ("f", "only missed"),
    "coverage.only-open": ("f", "only open"),
    "scope.toggle": ("space,enter", "claim or release"),
    "scope.start": ("s", "start…"),
    "scope.undo": ("u", "undo the last"),
    "decision.confirm": ("ctrl+s", "sign"),
    "decision.edit-reason": ("ctrl+e", "edit the reason"),
    "decision.template": ("ctrl+t", "template…"),
    "decision.again": ("ctrl+r", "look again"),
    "decision.difference": ("ctrl+f", "show changes"),
    "decision.cancel": ("escape", "cancel"),
}
"""Each action by id: its keys, separated by commas, and its words on screen; words that end in … ask first."""
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
    if scopes[0] == scopes[1]:
        return True
    return MODAL_SCOPES.isdisjoint(scopes) and any(scope in GLOBAL_SCOPES for scope in scopes)


ActionId = Annotated[str, Checked(_refuse_unknown_action)]
KeyNames = Annotated[str, Checked(_refuse_odd_keys)]
Keymap = Annotated[
    dict[ActionId, KeyNames],
    Checked(_refuse_collisions, {"propertyNames": {"enum": list(DEFAULT_KEYMAP)}}),
]
