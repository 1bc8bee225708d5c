"""The slider of time travel: one line above the status line, only while the app shows the past."""

from __future__ import annotations

from textual import events

from handoff_tui.core.short_id import SHORT_COMMIT, SHORT_ENTRY
from handoff_tui.core.text.columns import compute_width
from handoff_tui.core.text.page import Cell
from handoff_tui.core.text.safe_text import render_safe
from handoff_tui.history.travel.values import Stop, StopKind
from handoff_tui.live.state.app import TravelPart
from handoff_tui.tui.actions import Keys
from handoff_tui.tui.messages import Request, TravelEnded, TravelMoved, TravelWanted
from handoff_tui.tui.widgets.bars import Bar

Row = tuple[Cell, ...]

_LEAST_TRACK, _MOST_TRACK = 10, 60
_TRACK_SHARE = 4
"""The part of the width that the slider takes."""
_LONGEST_TITLE = 200


def describe_as_of(travel: TravelPart, *, short: bool) -> Cell:
    """Says which past the views show. The slider may be ahead while its stop is being read."""
    if travel.visited is None:
        if travel.trouble is not None:
            return Cell(f" ⟲ time travel: {render_safe(travel.trouble.message)} · showing now, read-only ", "warning")
        return Cell("⟲ TIME TRAVEL" if short else " ⟲ Reading the stops; showing now · read-only ", "warning")
    stop = travel.visited.stop
    if short:
        return Cell(f"⟲ AS OF {name_stop(stop)} · READ-ONLY", "warning")
    return Cell(f" ⟲ AS OF {describe_stop(stop)} {_show_time(stop)} · read-only ", "warning")


def describe_missing(travel: TravelPart) -> Row:
    """Says so if the selected handoff didn't exist at that stop."""
    missing = travel.visited.missing if travel.visited is not None else ""
    return (Cell(f"{render_safe(missing)} didn't exist yet · ", "warning"),) if missing else ()


def describe_notes(travel: TravelPart) -> Row:
    """Says what the past doesn't show, and why: for all stops, then for this one."""
    seen = travel.visited.notes if travel.visited is not None else ()
    whole = tuple(Cell(f" · ! {render_safe(note)}", "warning") for note in travel.notes)
    return (*whole, *(Cell(f" · {render_safe(note)}", "muted") for note in seen))


def name_stop(stop: Stop) -> str:
    """Returns the beginning of the commit's or entry's id."""
    return stop.key[:SHORT_ENTRY].removeprefix("sha256:") if stop.kind is StopKind.ENTRY else stop.key[:SHORT_COMMIT]


def describe_stop(stop: Stop) -> str:
    return f"{'entry' if stop.kind is StopKind.ENTRY else 'commit'} {name_stop(stop)}"


def build_travel_bar(travel: TravelPart, keys: tuple[str, str, str], width: int) -> Row:
    """Draws the slider: its position among all stops, and what happened there. `keys` go back, forward, and out."""
    if not travel.stops:
        words = travel.trouble.message if travel.trouble is not None else "Reading the stops…"
        return (Cell(f" {render_safe(words)}  ", "warning"), *_build_way_out(keys[2]))
    lead = build_lead(travel, keys)
    track = compute_track(width)
    place = _find_place(travel, track)
    cells = (
        lead,
        Cell("━" * place, "accent"),
        Cell("●", "waiting"),
        Cell("─" * (track - place - 1), "border"),
        Cell(f" {keys[1]} ", "key"),
        *_build_way_out(keys[2]),
    )
    if travel.loading:
        return (*cells, Cell(" reading…", "muted"))
    if travel.trouble is not None:
        return (*cells, Cell(f" ✗ {render_safe(travel.trouble.message, _LONGEST_TITLE)}", "fail"))
    stop = travel.stop
    return cells if stop is None else (*cells, *_describe_happening(stop))


def build_lead(travel: TravelPart, keys: tuple[str, str, str]) -> Cell:
    """Draws the part left of the slider; the numbers keep their width while the slider moves."""
    total = f"{len(travel.stops):,}"
    return Cell(f" {keys[0]} {travel.index + 1:>{len(total)},}/{total} ", "key")


def compute_track(width: int) -> int:
    return min(max(width // _TRACK_SHARE, _LEAST_TRACK), _MOST_TRACK)


def find_clicked_stop(travel: TravelPart, keys: tuple[str, str, str], width: int, column: int) -> int | None:
    """Returns the stop under a column of the slider; None beside it."""
    start, track = compute_width(build_lead(travel, keys).text), compute_track(width)
    place = column - start
    if not travel.stops or not 0 <= place < track:
        return None
    return round(place / (track - 1) * (len(travel.stops) - 1))


def _find_place(travel: TravelPart, track: int) -> int:
    return round(travel.index / max(1, len(travel.stops) - 1) * (track - 1))


def _build_way_out(key: str) -> Row:
    return (Cell(f" {key}", "key"), Cell(" now "))


def _describe_happening(stop: Stop) -> Row:
    return (
        Cell(f" {describe_stop(stop)} ", "accent"),
        Cell(f"{render_safe(stop.title, _LONGEST_TITLE)}"),
        Cell(f" · {render_safe(stop.who)} · {_show_time(stop)}", "muted"),
    )


def _show_time(stop: Stop) -> str:
    """Shows a time to the minute, in UTC."""
    return render_safe(stop.time[:16].replace("T", " "))


class TravelBar(Bar):
    """The slider among all stops; a click goes to a stop."""

    DEFAULT_CSS = """
    TravelBar { display: none; }
    """

    def __init__(self, keys: Keys) -> None:
        super().__init__(id="travel", raised=True)
        self._keys = (keys.show("travel.previous"), keys.show("travel.next"), keys.show("app.back"))
        self._travel: TravelPart | None = None

    def show_travel(self, travel: TravelPart | None) -> None:
        self._travel = travel
        self.display = travel is not None
        self._draw()

    def on_resize(self) -> None:
        self._draw()

    def _draw(self) -> None:
        if self._travel is not None:
            self.show(*build_travel_bar(self._travel, self._keys, self.size.width or self.app.size.width))

    def build_wish(self, name: str) -> Request:
        """Returns what an action of time travel asks for."""
        travel = self._travel
        if travel is None:
            return TravelWanted()
        last = len(travel.stops) - 1
        places = {"first": 0, "last": last, "previous": travel.index - 1, "next": travel.index + 1}
        return TravelMoved(min(max(places[name], 0), last)) if name in places else TravelEnded()

    def on_click(self, event: events.Click) -> None:
        if self._travel is not None:
            index = find_clicked_stop(self._travel, self._keys, self.size.width, event.x)
            if index is not None:
                event.stop()
                self.post_message(TravelMoved(index))
