"""The slider of time travel: one line over the status line, only while somebody travels."""

from __future__ import annotations

from textual import events

from handoff_tui.live.state.debugging import TravelPart
from handoff_tui.tui.actions import Keys
from handoff_tui.tui.messages import Asked, TravelEnded, TravelMoved, TravelWanted
from handoff_tui.tui.widgets.bars import Bar
from handoff_tui.tui.widgets.travel_bar_words import build_travel_bar, find_clicked_stop


class TravelBar(Bar):
    """Where the slider stands among all stops; a click on it goes there."""

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

    def build_wish(self, name: str) -> Asked:
        """What one of the actions of time travel asks for."""
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
