"""The lists to choose from, by the action that opens them."""

from __future__ import annotations

from collections.abc import Sequence

from handoff_tui.models.desk_state import DeskState
from handoff_tui.tui.actions import Hint, Keys, get_scope
from handoff_tui.tui.look import list_theme_names
from handoff_tui.tui.screens.help_screen import build_help
from handoff_tui.tui.screens.offers import build_offers
from handoff_tui.tui.screens.palette_screen import Offer, PaletteScreen
from handoff_tui.tui.screens.scope_screen import ScopeScreen


def build_dialog(action: str, state: DeskState, hints: Sequence[Hint], keys: Keys) -> PaletteScreen | None:
    """Nothing for actions that open no list."""
    if action == "app.palette":
        return PaletteScreen("Commands", build_offers(state, hints, list_theme_names()))
    if action == "app.help":
        return build_help(hints, keys)
    if action == "app.theme":
        return PaletteScreen("Theme", [Offer(f"theme:{name}", name) for name in list_theme_names()])
    if action == "diff.baseline":
        return ScopeScreen(state)
    if action == "decide.choose":
        verbs = [hint for hint in hints if get_scope(hint.action) == "decide" and hint.action != action]
        offers = [Offer(f"action:{hint.action}", hint.words, hint.key, hint.refusal) for hint in verbs]
        return PaletteScreen("Decide: nothing is signed yet", offers)
    return None


def has_place(state: DeskState, view: str, path: str) -> bool:
    """Whether a view can show a file."""
    if view == "diff":
        return state.files.value is not None and any(file.change.path == path for file in state.files.value.files)
    return state.item is not None and any(one.path == path for one in state.item.reviewed.handoff.documents)
