"""The lists to choose from, by the action that opens them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from textual.message import Message

from handoff_tui.config.keymap import GLOBAL_SCOPES
from handoff_tui.live.state.desk import DeskState
from handoff_tui.tui.actions import GROUPS, Hint, Keys, get_scope
from handoff_tui.tui.dialogs.agent_dialogs import build_stop_dialog, parse_place, parse_stop
from handoff_tui.tui.dialogs.palette import Offer, PaletteScreen
from handoff_tui.tui.dialogs.scope import ScopeScreen, parse_scope
from handoff_tui.tui.drawing.appearance import list_theme_names
from handoff_tui.tui.messages import LeaveWanted, PlaceWanted, ScopeWanted, StopToggled, ThemeChosen

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


ANSWERS: dict[str, Callable[[str], Message]] = {
    "theme": ThemeChosen,
    "file": PlaceWanted,
    "scope": lambda name: ScopeWanted(parse_scope(name)),
    "stop": lambda name: StopToggled(parse_stop(name)),
    "place": lambda name: PlaceWanted(*parse_place(name)),
    "leave": lambda name: LeaveWanted(stops=name == "stop"),
}
"""What is asked for by what was chosen in a dialog: the first word of an offer's id, and the rest of it."""


def build_dialog(action: str, state: DeskState, hints: Sequence[Hint], keys: Keys) -> PaletteScreen | None:
    """Nothing for actions that open no list."""
    makers: dict[str, Callable[[], PaletteScreen]] = {
        "app.palette": lambda: PaletteScreen("Commands", build_offers(state, hints, list_theme_names())),
        "app.help": lambda: build_help(hints, keys),
        "app.theme": lambda: PaletteScreen("Theme", [Offer(f"theme:{name}", name) for name in list_theme_names()]),
        "diff.baseline": lambda: ScopeScreen(state),
        "agent.breakpoint": lambda: build_stop_dialog(state),
        "decide.choose": lambda: _build_verbs(hints),
    }
    return makers[action]() if action in makers else None


def _build_verbs(hints: Sequence[Hint]) -> PaletteScreen:
    verbs = [hint for hint in hints if get_scope(hint.action) == "decide" and hint.action != "decide.choose"]
    offers = [Offer(f"action:{hint.action}", hint.words, hint.key, hint.refusal) for hint in verbs]
    return PaletteScreen("Decide: nothing is signed yet", offers)


def has_place(state: DeskState, view: str, path: str) -> bool:
    """Whether a view can show a file."""
    if view == "diff":
        return state.files.value is not None and any(file.change.path == path for file in state.files.value.files)
    return state.item is not None and any(one.path == path for one in state.item.reviewed.handoff.documents)
