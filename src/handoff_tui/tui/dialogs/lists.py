"""The lists to choose from, by the action that opens each."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from textual.widgets import Input

from handoff_tui.changes.comparison.snapshot_diff import DiffScope
from handoff_tui.config.layer import SettingRow
from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.core.text.labels import plural
from handoff_tui.core.text.page import Cell
from handoff_tui.core.text.safe_text import render_safe
from handoff_tui.live.state.agents import Activity, Breakpoint, MentionedFile
from handoff_tui.live.state.app import USUAL_RANGE, AppState, ComparisonPoint, DiffRange
from handoff_tui.status.inbox_item import HandoffKey, InboxItem
from handoff_tui.tui.actions import GROUPS, Hint, Keys, get_scope
from handoff_tui.tui.chrome import name_work
from handoff_tui.tui.dialogs.decision.rows import describe_effect
from handoff_tui.tui.dialogs.palette import Offer, PaletteScreen
from handoff_tui.tui.drawing.appearance import list_theme_names
from handoff_tui.tui.messages import (
    BreakpointToggled,
    ChangedFileWanted,
    CheckShown,
    HandoffOpened,
    LeaveWanted,
    LogPlaceWanted,
    PlaceWanted,
    ScopeWanted,
    StatusTextWanted,
    ThemeChosen,
)
from handoff_tui.tui.widgets.bars import Divider


def build_stop_dialog(state: AppState) -> PaletteScreen:
    """Offers every place before and after a phase; choosing one sets or removes the breakpoint."""
    view = state.agent.value
    phases = dict.fromkeys(agent.phase for agent in view.agents) if view is not None else {}
    places = [Breakpoint(phase, before=before) for phase in phases for before in (True, False)]
    set_now = view.breakpoints if view is not None else frozenset()
    offers = [
        Offer(f"stop:{stop}", str(stop), "● set" if stop in set_now else "", asks=BreakpointToggled(stop))
        for stop in places
    ]
    return PaletteScreen(
        "Breakpoints: nothing starts automatically here", offers, "↵ sets or removes it · lasts until you quit"
    )


def build_place_dialog(places: Sequence[MentionedFile]) -> PaletteScreen:
    offers = [
        Offer(str(place), place.path, f"line {place.line}" if place.line else "", asks=PlaceWanted(*place))
        for place in places
    ]
    return PaletteScreen("Open a file", offers, "↵ opens it")


def build_owner_dialog(owners: Sequence[InboxItem], files: Sequence[str]) -> PaletteScreen:
    """Offers the handoffs that files can be given to, in the order of the queue."""
    offers = [
        Offer(
            "owner:" + "\0".join(item.key), f"{item.key.handoff}  {item.reviewed.handoff.title or ''}", item.phase or ""
        )
        for item in owners
    ]
    what = files[0] if len(files) == 1 else plural(len(files), "file")
    return PaletteScreen(f"Which handoff gets {render_safe(what)}?", offers, "↵ shows what would change · esc closes")


def build_leave_dialog(at_work: Activity) -> PaletteScreen | None:
    """None if no agent of this app is running and none is about to start."""
    runs, scheduled = at_work.runs, at_work.scheduled
    if not runs and not scheduled:
        return None
    offers, leave, stop = [Offer("stay", "Stay here")], LeaveWanted(stops=False), LeaveWanted(stops=True)
    if runs:
        names = ", ".join(f"{key.handoff} · {key.phase}" for key in runs)
        one = len(runs) == 1
        title = f"{plural(len(runs), 'agent')} running: {names}"
        offers += [
            Offer("go", f"Quit; {'it keeps' if one else 'they keep'} running", "handoff-tui step --attach", asks=leave),
            Offer("stop", f"Stop {'it' if one else 'them'}, then quit", "TERM, a grace period, KILL", asks=stop),
        ]
    else:
        title = f"{scheduled[0].handoff} · {scheduled[0].phase} would start automatically"
        offers.append(Offer("go", "Quit; it won't start", asks=leave))
    return PaletteScreen(render_safe(title), offers, "↵ takes the selected row · esc stays")


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
            Offer(
                scope.value, words, "now" if state.scope == DiffRange(scope) else "", asks=ScopeWanted(DiffRange(scope))
            )
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
            self.dismiss(ScopeWanted(self._build_scope(name)))
        else:
            super()._take(key)

    def _ask_for_next(self, before: str | None) -> None:
        """Asks for the older point, then the newer one."""
        self._choosing_two, self._before = True, before
        self._offers = tuple(self._moments)
        words = "From which point?" if before is None else f"From {before} to which point?"
        self.query_one(Divider).show_title(Cell(words, "heading"))
        self.query_one("#palette-field", Input).value = ""
        self._filter("")

    def _build_scope(self, name: str) -> DiffRange:
        if self._before is not None:
            return DiffRange(DiffScope.BETWEEN, self._before, name)
        one, between, other = name.partition(_BETWEEN)
        return (
            DiffRange(DiffScope.BETWEEN, one.strip(), other.strip() or None)
            if between
            else DiffRange(DiffScope.BETWEEN, name)
        )


def _offer_moment(moment: ComparisonPoint) -> Offer:
    return Offer(f"{_MOMENT}{_SEPARATOR}{moment.name}", f"{moment.kind} {moment.name}  {moment.text}", moment.at)


_ORDER = list(GROUPS)
CONCEPTS = {
    "gate": "where a person decides whether work goes on",
    "claim": "what a document says: it holds, is false, or was true",
    "scope": "the changes of one handoff; some are shared",
    "baseline": "what work is compared with: the last approved state",
    "attempt": "one run at a phase; if it's sent back, the next begins",
    "override": "goes on although checks fail; stays on record",
    "carry": "an approval taken over to rewritten history",
    "hold": "stays where it is until you decide otherwise",
    "unclaimed": "changed files that belong to no handoff",
    "coverage": "how many changed files somebody approved",
    "consent": "your yes to running a repository's own commands",
}
"""Words of the app, each in one sentence."""
GLYPHS = {
    "✓": "holds, passes, approved, read",
    "✗": "false, fails, blocks",
    "!": "worth a look; doesn't block",
    "?": "not measured here",
    "~": "was true when it was written",
    "◆": "needs you",
    "●": "running, or selected",
    "○": "waiting, or unread",
    "↩": "sent back",
    "‖": "held",
    "■": "closed or blocked",
    "◉": "selected with v",
    "≠": "changed since",
    "⇄": "shared with other handoffs",
    "✎": "has a comment",
    "…": "being computed",
}
"""Every glyph, in words."""


def build_help(hints: Sequence[Hint], keys: Keys, here: Collection[str] = ()) -> PaletteScreen:
    """Lists the keys of the tab in view, explains the words and glyphs of the app, then lists every other key."""
    first = _offer_keys([hint for hint in hints if hint.action in here], keys)
    others = sorted((hint for hint in hints if hint.action not in here), key=_find_rank)
    words = [Offer(f"concept:{name}", f"{name:<12}{words}") for name, words in CONCEPTS.items()]
    words += [Offer(f"glyph:{glyph}", f"{glyph:<12}{words}") for glyph, words in GLYPHS.items()]
    offers = [*first, *words, *_offer_keys(others, keys)]
    return PaletteScreen("Help: keys, words, glyphs", offers, "↵ runs it · [keymap] in config.toml changes keys")


def _offer_keys(hints: Sequence[Hint], keys: Keys) -> list[Offer]:
    return [
        Offer(
            f"action:{hint.action}",
            f"{GROUPS[get_scope(hint.action)]:<22}{hint.words}",
            "  ".join(keys.show_all(hint.action)),
            hint.refusal,
        )
        for hint in hints
        if hint.key
    ]


def _find_rank(hint: Hint) -> int:
    return _ORDER.index(get_scope(hint.action))


_MOST_LISTED = 2_000
_HIDDEN = frozenset({"nav", "focus"})
"""Actions that make no sense in a list."""


class EverythingScreen(PaletteScreen):
    """Every handoff, check, file, entry, setting and action by name; what is still being read comes when it is."""

    def __init__(self, state: AppState, actions: Sequence[Offer], settings: Sequence[SettingRow]) -> None:
        self._fixed = (*actions, *map(_offer_setting, settings), *map(_offer_theme_named, list_theme_names()))
        super().__init__("Everything by name", self._build(state))

    def show(self, state: AppState) -> None:
        self.offer(self._build(state))

    def _build(self, state: AppState) -> list[Offer]:
        return [
            *_offer_handoffs(state),
            *self._fixed,
            *_offer_checks(state),
            *_offer_files(state),
            *_offer_entries(state),
        ]


def build_actions(hints: Sequence[Hint]) -> list[Offer]:
    return [
        Offer(f"action:{hint.action}", f"{GROUPS[get_scope(hint.action)]}: {hint.words}", hint.key, hint.refusal)
        for hint in hints
        if get_scope(hint.action) not in _HIDDEN
    ]


def _offer_handoffs(state: AppState) -> list[Offer]:
    return [
        Offer(
            "handoff:" + "\0".join(item.key),
            f"handoff {name_work(item.reviewed.handoff)}",
            item.key.handoff if item.reviewed.handoff.title else "",
            asks=HandoffOpened(item.key),
        )
        for item in state.inbox[:_MOST_LISTED]
    ]


def _offer_checks(state: AppState) -> list[Offer]:
    results = state.checks.value.results if state.checks.value is not None else ()
    return [
        Offer(f"check:{result.id}", f"check {result.id}", result.outcome.value, asks=CheckShown(result.id))
        for result in results
    ]


def _offer_files(state: AppState) -> list[Offer]:
    """The files of the handoff in view, then every changed file of the repository with the handoff it belongs to."""
    own = [file.change.path for file in state.files.value.files] if state.files.value is not None else []
    offers = [Offer(f"file:{path}", f"file {path}", asks=PlaceWanted(path)) for path in own[:_MOST_LISTED]]
    root = state.repository.root if state.repository is not None else ""
    paths = state.coverage.value.paths if state.coverage.value is not None else ()
    for path in paths[:_MOST_LISTED]:
        owner = next(iter(path.coverage.handoffs), None)
        if path.path not in own and owner is not None:
            wish = ChangedFileWanted(HandoffKey(root, owner), path.path, USUAL_RANGE)
            offers.append(Offer(f"file:{path.path}", f"file {path.path}", owner, asks=wish))
    return offers


def _offer_entries(state: AppState) -> list[Offer]:
    rows = state.log.value.rows if state.log.value is not None else ()
    return [
        Offer(
            f"entry:{row.id}",
            f"entry {row.id.removeprefix('sha256:')[:12]} {row.what or ''} {row.handoff or ''}".rstrip(),
            row.actor or "",
            asks=LogPlaceWanted(row.id),
        )
        for row in rows[:_MOST_LISTED]
    ]


def _offer_setting(row: SettingRow) -> Offer:
    told = f"{row.key} = {row.value} ({row.origin})"
    return Offer(f"setting:{row.key}", f"setting {row.key}", str(row.value), asks=StatusTextWanted(told))


def build_comments_dialog(state: AppState) -> PaletteScreen:
    """Lists the drafts and threads of the handoff in view; choosing one goes to its place."""
    drafts = [
        Offer(
            f"comment:{number}",
            f"✎ {comment.place or 'the whole handoff'}  {comment.text or 'settles the thread'}",
            "draft reply" if comment.thread else "draft",
            asks=PlaceWanted(comment.path, comment.line) if comment.path else None,
        )
        for number, comment in enumerate(state.drafts.comments)
    ]
    threads = [
        Offer(
            f"thread:{thread.id}",
            f"{'✓' if thread.resolved_by else '○'} {thread.place or 'the whole handoff'}  {thread.comment.text}",
            f"settled by {thread.resolved_by}" if thread.resolved_by else f"{thread.author}, attempt {thread.attempt}",
            asks=PlaceWanted(thread.path, thread.line) if thread.path else None,
        )
        for thread in sorted(state.threads.value or (), key=lambda thread: bool(thread.resolved_by))
    ]
    title = f"Comments: {plural(len(drafts), 'draft')}, {plural(len(threads), 'thread')}"
    note = "↵ goes there · drafts are signed with your next decision"
    return PaletteScreen(title, [*drafts, *threads], note, "No comments yet; c on a line writes one")


def _offer_theme_named(name: str) -> Offer:
    return _offer_theme(name, f"theme {name}")


def _offer_theme(name: str, words: str) -> Offer:
    return Offer(f"theme:{name}", words, asks=ThemeChosen(name))


def build_dialog(
    action: str,
    state: AppState,
    hints: Sequence[Hint],
    keys: Keys,
    settings: Sequence[SettingRow] = (),
    *,
    here: Collection[str] = (),
) -> PaletteScreen | None:
    """None if the action opens no list; `here` are the actions of the tab in view."""
    makers: dict[str, Callable[[], PaletteScreen]] = {
        "app.palette": lambda: EverythingScreen(state, build_actions(hints), settings),
        "review.comments": lambda: build_comments_dialog(state),
        "app.help": lambda: build_help(hints, keys, here),
        "app.theme": lambda: PaletteScreen("Theme", [_offer_theme(name, name) for name in list_theme_names()]),
        "agent.breakpoint": lambda: build_stop_dialog(state),
        "decide.choose": lambda: _build_verbs(hints),
    }
    return makers[action]() if action in makers else None


def _build_verbs(hints: Sequence[Hint]) -> PaletteScreen:
    verbs = [hint for hint in hints if get_scope(hint.action) == "decide" and hint.action != "decide.choose"]
    offers = [
        Offer(
            f"action:{hint.action}",
            f"{hint.words:<13}{_FIRST_PART.split(describe_effect(hint.action[7:], 'it'))[0]}",
            hint.key,
            hint.refusal,
        )
        for hint in verbs
    ]
    return PaletteScreen("Decide (nothing is signed yet)", offers)


_FIRST_PART = compile_later(r"[.;]")
"""What ends the first part of a sentence: a row of the list has no room for more."""


def has_place(state: AppState, view: str, path: str) -> bool:
    """Tells whether a view can show a file."""
    if view == "changes":
        return state.files.value is not None and any(file.change.path == path for file in state.files.value.files)
    return state.item is not None and any(one.path == path for one in state.item.reviewed.handoff.documents)
