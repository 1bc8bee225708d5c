"""The keymap as data: which key does what, where, and which keys would collide."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, Field

from handoff_tui.config.nearest import suggest
from handoff_tui.core.lazy_pattern import compile_later

GLOBAL_SCOPES = ("nav", "view", "focus", "find", "app", "decide", "travel")
"""Actions that every view has; their keys mean the same everywhere."""
MODAL_SCOPE = "decision"
"""The decision dialog: no key of any view works while it is open."""

DEFAULT_KEYMAP: dict[str, str] = {
    "nav.down": "j,down",
    "nav.up": "k,up",
    "nav.left": "h,left",
    "nav.right": "l,right",
    "nav.top": "g,home",
    "nav.bottom": "G,end",
    "nav.half-page-down": "ctrl+d",
    "nav.half-page-up": "ctrl+u",
    "nav.page-down": "space,pagedown",
    "nav.page-up": "pageup",
    "view.inbox": "1",
    "view.pipeline": "2",
    "view.checks": "3",
    "view.diff": "4",
    "view.document": "5",
    "view.log": "6",
    "view.agent": "7",
    "view.claims": "8",
    "view.attempts": "9",
    "view.figures": "0",
    "focus.next": "tab",
    "focus.previous": "shift+tab",
    "find.open": "/",
    "find.next": "n",
    "find.previous": "N",
    "app.back": "escape",
    "app.quit": "q",
    "app.interrupt": "ctrl+c",
    "app.suspend": "ctrl+z",
    "app.palette": "ctrl+p,:",
    "app.help": "?,f1",
    "app.open": "enter",
    "app.edit": "e",
    "app.copy": "y",
    "app.copy-all": "Y",
    "app.redraw": "ctrl+l",
    "app.rescan": "ctrl+r",
    "app.screenshot": "S",
    "app.theme": "ctrl+t",
    "decide.approve": "a",
    "decide.reject": "x",
    "decide.retry": "r",
    "decide.withdraw": "z",
    "decide.choose": "A",
    "decide.skip": "",
    "decide.override": "",
    "decide.hold": "",
    "decide.carry": "",
    "travel.begin": "",
    "travel.previous": "<",
    "travel.next": ">",
    "travel.first": "(",
    "travel.last": ")",
    "travel.end": "",
    "inbox.sort": "s",
    "pipeline.step": "s",
    "pipeline.diff": "d",
    "checks.run": "R",
    "checks.run-all": "F",
    "checks.cancel": "X",
    "checks.only-failing": "f",
    "checks.open-file": "o",
    "checks.trust": "T",
    "checks.bisect": "b",
    "claims.only-contradicted": "f",
    "claims.open-file": "o",
    "diff.next-hunk": "]",
    "diff.previous-hunk": "[",
    "diff.next-file": "}",
    "diff.previous-file": "{",
    "diff.next-unread": "u",
    "diff.mode": "v",
    "diff.mark-read": "m",
    "diff.mark-unread": "M",
    "diff.wrap": "w",
    "diff.whitespace": "W",
    "diff.more-context": "+",
    "diff.less-context": "-",
    "diff.comment": "c",
    "diff.range": "V",
    "diff.baseline": "b",
    "diff.record": "i",
    "document.next-section": "]",
    "document.previous-section": "[",
    "document.outline": "o",
    "document.compare": "D",
    "document.comment": "c",
    "document.range": "V",
    "document.raw": "v",
    "document.next": "}",
    "document.previous": "{",
    "log.verify": "v",
    "log.time-travel": "T",
    "log.follow": "f",
    "log.open-file": "o",
    "agent.step": "s",
    "agent.continue": "c",
    "agent.pause": "p",
    "agent.stop": "X",
    "agent.breakpoint": "t",
    "agent.follow": "f",
    "agent.next-try": "]",
    "agent.previous-try": "[",
    "agent.compare": "D",
    "agent.inputs": "i",
    "agent.diff": "d",
    "agent.wrap": "w",
    "agent.open-file": "o",
    "agent.report": "v",
    "agent.note": "m",
    "agent.again": "R",
    "agent.back": "b",
    "agent.loop": "C",
    "agent.proofs": "P",
    "agent.unlock": "L",
    "agent.rollback": "B",
    "agent.undo-rollback": "U",
    "attempts.compare": "D",
    "attempts.mark": "m",
    "attempts.failure": "o",
    "attempts.diff": "d",
    "figures.only-missed": "f",
    "decision.confirm": "ctrl+s",
    "decision.edit-reason": "ctrl+e",
    "decision.template": "ctrl+t",
    "decision.again": "ctrl+r",
    "decision.difference": "ctrl+f",
    "decision.cancel": "escape",
}
"""Action id to its keys; several are separated by commas."""

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
    return MODAL_SCOPE not in scopes and any(scope in GLOBAL_SCOPES for scope in scopes)


ActionId = Annotated[str, AfterValidator(_refuse_unknown_action)]
KeyNames = Annotated[str, AfterValidator(_refuse_odd_keys)]
Keymap = Annotated[
    dict[ActionId, KeyNames],
    AfterValidator(_refuse_collisions),
    Field(json_schema_extra={"propertyNames": {"enum": list(DEFAULT_KEYMAP)}}),
]
