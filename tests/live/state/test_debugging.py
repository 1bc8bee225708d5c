from __future__ import annotations

from handoff_tui.live.state.debugging import BisectPart, TravelPart
from handoff_tui.live.state.desk import Trouble
from tests.support.debug_states import REPORT, STOPS


def test_travel_stop_is_where_the_slider_stands() -> None:
    """Before the stops were read there is none."""
    assert TravelPart().stop is None
    assert TravelPart(STOPS, 1).stop is STOPS[1]
    assert TravelPart(STOPS, 9).stop is None


def test_bisect_is_over_with_an_answer_or_a_reason() -> None:
    """A search that only was asked to end is still underway."""
    assert not BisectPart(1, "tests", "H-1", cancelling=True).is_over
    assert BisectPart(1, "tests", "H-1", report=REPORT).is_over
    assert BisectPart(1, "tests", "H-1", trouble=Trouble("no commit")).is_over
