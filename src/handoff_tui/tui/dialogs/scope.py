"""What to compare with: the usual scopes, a stored snapshot, a commit, any two of them, or what is typed."""

from __future__ import annotations

from textual.widgets import Input

from handoff_tui.changes.comparison.snapshot_diff import DiffScope
from handoff_tui.core.text.page import Cell
from handoff_tui.live.state.desk import DeskState, Moment, Scope
from handoff_tui.tui.dialogs.palette import Offer, PaletteScreen
from handoff_tui.tui.widgets.bars import Rule

_PREFIX = "scope:"
_SEPARATOR = "\0"
_MOMENT, _TYPED, _TWO = "moment", "typed", "two"
_BETWEEN = ".."
_USUAL = {
    DiffScope.SINCE_BASELINE: "since the baseline",
    DiffScope.SINCE_MY_REVIEW: "since my last review",
    DiffScope.SINCE_PREVIOUS_ATTEMPT: "since the previous attempt",
}


class ScopeScreen(PaletteScreen):
    """Enter takes the row under the cursor. Two moments are chosen one after the other, or typed as `one..other`."""

    def __init__(self, state: DeskState) -> None:
        moments = state.files.value.moments if state.files.value else ()
        self._moments = [_offer_moment(moment) for moment in moments]
        self._choosing_two = False
        self._before: str | None = None
        usual = [
            Offer(f"{_PREFIX}{scope.value}", words, "now" if state.scope == Scope(scope) else "")
            for scope, words in _USUAL.items()
        ]
        two = Offer(_TWO, "between two moments…", "or type one..other")
        super().__init__("Compare with", [*usual, two, *self._moments], "type a commit, a tag, a digest, or one..other")

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
        """The older of two moments, and then the newer one."""
        self._choosing_two, self._before = True, before
        self._offers = tuple(self._moments)
        words = "From which moment on?" if before is None else f"From {before} to which?"
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
    """A scope as a dialog answers with it."""
    return _PREFIX + _SEPARATOR.join((scope.scope.value, scope.against or "", scope.instead or ""))


def parse_scope(name: str) -> Scope:
    """The scope behind an answer, without its prefix."""
    scope, against, instead = (*name.split(_SEPARATOR), "", "")[:3]
    return Scope(DiffScope(scope), against or None, instead or None)


def _offer_moment(moment: Moment) -> Offer:
    return Offer(f"{_MOMENT}{_SEPARATOR}{moment.name}", f"{moment.kind} {moment.name}  {moment.text}", moment.at)
