"""Help: the keys as they are bound now, by group; Enter runs the one under the cursor."""

from __future__ import annotations

from collections.abc import Sequence

from handoff_tui.config.keymap import GLOBAL_SCOPES
from handoff_tui.tui.actions import GROUPS, Hint, Keys, get_scope
from handoff_tui.tui.dialogs.palette import Offer, PaletteScreen

_ORDER = list(GROUPS)


def build_help(hints: Sequence[Hint], keys: Keys) -> PaletteScreen:
    """Everything that has a key here: what is special to the view first."""
    ordered = sorted(hints, key=_find_rank)
    offers = [
        Offer(
            f"action:{hint.action}",
            f"{GROUPS[get_scope(hint.action)]:<22}{hint.words}",
            "  ".join(keys.show_all(hint.action)),
            hint.refusal,
        )
        for hint in ordered
        if hint.key
    ]
    return PaletteScreen("Help", offers, "↵ runs it · [keymap] in config.toml changes keys")


def _find_rank(hint: Hint) -> tuple[bool, int]:
    scope = get_scope(hint.action)
    return scope in GLOBAL_SCOPES, _ORDER.index(scope)
