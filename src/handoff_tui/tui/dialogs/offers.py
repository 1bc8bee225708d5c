"""Everything that can be named in the palette: actions, handoffs, files, themes."""

from __future__ import annotations

from collections.abc import Sequence

from handoff_tui.live.state.desk import DeskState
from handoff_tui.tui.actions import GROUPS, Hint, get_scope
from handoff_tui.tui.dialogs.palette import Offer

_MOST_FILES = 500
_HIDDEN = frozenset({"nav", "focus"})
"""Of no use from a list."""


def build_offers(state: DeskState, hints: Sequence[Hint], themes: Sequence[str]) -> list[Offer]:
    actions = [
        Offer(f"action:{hint.action}", f"{GROUPS[get_scope(hint.action)]}: {hint.words}", hint.key, hint.refusal)
        for hint in hints
        if get_scope(hint.action) not in _HIDDEN
    ]
    handoffs = [
        Offer("handoff:" + "\0".join(item.key), f"go to {item.key.handoff}", item.reviewed.handoff.title or "")
        for item in state.inbox
    ]
    files = state.files.value.files[:_MOST_FILES] if state.files.value else ()
    paths = [Offer(f"file:{file.change.path}", f"file {file.change.path}") for file in files]
    return [*actions, *handoffs, *paths, *(Offer(f"theme:{name}", f"theme: {name}") for name in themes)]
