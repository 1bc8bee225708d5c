"""The lists to choose from, by the action that opens each."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from textual.message import Message
from textual.widgets import Input

from handoff_tui.agents.runs.mentioned_files import MentionedFile
from handoff_tui.changes.comparison.snapshot_diff import DiffScope
from handoff_tui.config.keymap import GLOBAL_SCOPES
from handoff_tui.core.text.labels import plural
from handoff_tui.core.text.page import Cell
from handoff_tui.core.text.safe_text import render_safe
from handoff_tui.live.state.agents import Activity, Breakpoint
from handoff_tui.live.state.app import AppState, ComparisonPoint, Scope
from handoff_tui.tui.actions import GROUPS, Hint, Keys, get_scope
from handoff_tui.tui.dialogs.palette import Offer, PaletteScreen
from handoff_tui.tui.dialogs.proposal import describe_breakpoint
from handoff_tui.tui.drawing.appearance import list_theme_names
from handoff_tui.tui.messages import BreakpointToggled, LeaveWanted, PlaceWanted, ScopeWanted, ThemeChosen
from handoff_tui.tui.widgets.bars import Rule


def build_stop_dialog(state: AppState) -> PaletteScreen:
    """Offers every place before and after a phase; choosing one sets or removes the breakpoint."""
    view = state.agent.value
    phases = dict.fromkeys(agent.phase for agent in view.agents) if view is not None else {}
    places = [Breakpoint(phase, before=before) for phase in phases for before in (True, False)]
    set_now = view.breakpoints if view is not None else frozenset()
    offers = [
        Offer(
            f"stop:{'before' if stop.before else 'after'}:{stop.phase}",
            describe_breakpoint(stop),
            "● set" if stop in set_now else "",
        )
        for stop in places
    ]
    return PaletteScreen(
        "Breakpoints: nothing starts automatically here", offers, "↵ sets or removes it · lasts until you quit"
    )


def parse_stop(name: str) -> Breakpoint:
    side, _, phase = name.partition(":")
    return Breakpoint(phase, before=side == "before")


def build_place_dialog(places: Sequence[MentionedFile]) -> PaletteScreen:
    offers = [
        Offer(f"place:{place.line or ''}:{place.path}", place.path, f"line {place.line}" if place.line else "")
        for place in places
    ]
    return PaletteScreen("Open a file", offers, "↵ opens it")


def parse_place(name: str) -> MentionedFile:
    line, _, path = name.partition(":")
    return MentionedFile(path, int(line) if line else None)


def build_leave_dialog(at_work: Activity) -> PaletteScreen | None:
    """None if no agent of this app is running and none is about to start."""
    runs, scheduled = at_work.runs, at_work.scheduled
    if not runs and not scheduled:
        return None
    offers = [Offer("stay", "Stay here")]
    if runs:
        names = ", ".join(f"{key.handoff} · {key.phase}" for key in runs)
        one = len(runs) == 1
        title = f"{plural(len(runs), 'agent')} running: {names}"
        offers += [
            Offer("leave:go", f"Quit; {'it keeps' if one else 'they keep'} running", "handoff-tui step --attach"),
            Offer("leave:stop", f"Stop {'it' if one else 'them'}, then quit", "TERM, a grace period, KILL"),
        ]
    else:
        title = f"{scheduled[0].handoff} · {scheduled[0].phase} would start automatically"
        offers.append(Offer("leave:go", "Quit; it won't start"))
    return PaletteScreen(render_safe(title), offers, "↵ takes the selected row · esc stays")


_PREFIX = "scope:"
_SEPARATOR = "\0"
_MOMENT, _TYPED, _TWO = "moment", "typed", "two"
_BETWEEN = ".."
_USUAL = {
    DiffScope.OWN: "the handoff's own changes",
    DiffScope.SINCE_BASELINE: "the repository, since the baseline",
    DiffScope.SINCE_MY_REVIEW: "since my last review",
    DiffScope.SINCE_PREVIOUS_ATTEMPT: "since the previous attempt",
}


class ScopeScreen(PaletteScreen):
    """Enter takes the selected row. Two points are chosen one after the other, or typed as `from..to`."""

    def __init__(self, state: AppState) -> None:
        moments = state.files.value.points if state.files.value else ()
        self._moments = [_offer_moment(moment) for moment in moments]
        self._choosing_two = False
        self._before: str | None = None
        usual = [
            Offer(f"{_PREFIX}{scope.value}", words, "now" if state.scope == Scope(scope) else "")
            for scope, words in _USUAL.items()
        ]
        two = Offer(_TWO, "between two points…", "or type from..to")
        super().__init__("Compare with", [*usual, two, *self._moments], "type a commit, a tag, a digest, or from..to")

    def _filter(self, text: str) -> None:
        name = text.strip()
        known = [offer for offer in self._offers if not offer.id.startswith(_TYPED)]
        typed = [Offer(f"{_TYPED}{_SEPARATOR}{name}", f"compare with {name}", "as typed")] if name else []
        self._offers = (*known, *typed)
        super()._filter(text)

    def _take(self, key: str) -> None:
        kind, _, name = key.partition(_SEPARATOR)
        if kind == _TWO or (self._before is None and self._choosing_two and kind in {_MOMENT, _TYPED}):
            self._ask_for_next(None if kind == _TWO else name)
        elif kind in {_MOMENT, _TYPED}:
            self.dismiss(render_scope(self._build_scope(name)))
        else:
            super()._take(key)

    def _ask_for_next(self, before: str | None) -> None:
        """Asks for the older point, then the newer one."""
        self._choosing_two, self._before = True, before
        self._offers = tuple(self._moments)
        words = "From which point?" if before is None else f"From {before} to which point?"
        self.query_one(Rule).show_title(Cell(words, "heading"))
        self.query_one("#palette-field", Input).value = ""
        self._filter("")

    def _build_scope(self, name: str) -> Scope:
        if self._before is not None:
            return Scope(DiffScope.BETWEEN, self._before, name)
        one, between, other = name.partition(_BETWEEN)
        return (
            Scope(DiffScope.BETWEEN, one.strip(), other.strip() or None) if between else Scope(DiffScope.BETWEEN, name)
        )


def render_scope(scope: Scope) -> str:
    """Writes a scope as the answer of a dialog."""
    return _PREFIX + _SEPARATOR.join((scope.scope.value, scope.against or "", scope.instead or ""))


def parse_scope(name: str) -> Scope:
    """Reads the scope from a dialog's answer, without its prefix."""
    scope, against, instead = (*name.split(_SEPARATOR), "", "")[:3]
    return Scope(DiffScope(scope), against or None, instead or None)


def _offer_moment(moment: ComparisonPoint) -> Offer:
    return Offer(f"{_MOMENT}{_SEPARATOR}{moment.name}", f"{moment.kind} {moment.name}  {moment.text}", moment.at)


_ORDER = list(GROUPS)


def build_help(hints: Sequence[Hint], keys: Keys) -> PaletteScreen:
    """Lists everything that has a key here, the view's own actions first."""
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
"""Actions that make no sense in a list."""


def build_offers(state: AppState, hints: Sequence[Hint], themes: Sequence[str]) -> list[Offer]:
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
    "stop": lambda name: BreakpointToggled(parse_stop(name)),
    "place": lambda name: PlaceWanted(*parse_place(name)),
    "leave": lambda name: LeaveWanted(stops=name == "stop"),
}
"""What each choice asks for: by the first word of the offer's id, given the rest of it."""


def build_dialog(action: str, state: AppState, hints: Sequence[Hint], keys: Keys) -> PaletteScreen | None:
    """None if the action opens no list."""
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
    return PaletteScreen("Decide (nothing is signed yet)", offers)


def has_place(state: AppState, view: str, path: str) -> bool:
    """Tells whether a view can show a file."""
    if view == "diff":
        return state.files.value is not None and any(file.change.path == path for file in state.files.value.files)
    return state.item is not None and any(one.path == path for one in state.item.reviewed.handoff.documents)
