from __future__ import annotations

import threading

from handoff_tui.live.acting.debugging import Debugging
from handoff_tui.live.desk import raise_bug
from handoff_tui.live.keyed_worker import Lane
from handoff_tui.live.parts.readers import Wanted
from handoff_tui.live.state.desk import USUAL_SCOPE, DeskState, Loaded, Part
from handoff_tui.live.state_store import Board
from handoff_tui.status.inbox_item import HandoffKey
from tests.support.live_desks import build_work, looking
from tests.support.repositories import RepositoryBuilder


def build_wanted(_: DeskState, key: HandoffKey) -> Wanted:
    return Wanted(key.handoff, None, USUAL_SCOPE)


def test_desk_says_why_a_handoff_fails_and_compares_attempts(builder: RepositoryBuilder) -> None:
    """The failing check is first; an attempt that is not there is a trouble with its words, never a guess."""
    build_work(builder)
    with looking(builder.folder) as onlooker:
        onlooker.wait_until_live()
        state = onlooker.choose("H-1", Part.ATTEMPTS)
        assert state.attempts.value is not None
        [history] = state.attempts.value.histories
        assert [record.name.rpartition(":")[2] for record in history.attempts][-1] == "now"
        onlooker.desk.debugging.explain()
        state = onlooker.wait_for(lambda state: state.failure.value is not None)
        assert state.failure.value is not None
        assert "hashes-hold" in {one.result.id for one in state.failure.value.failed}
        onlooker.desk.debugging.compare(f"H-1:{history.phase}:41", f"H-1:{history.phase}:now")
        state = onlooker.wait_for(lambda state: state.comparison.trouble is not None)
        assert state.comparison.trouble is not None
        assert "no attempt 41" in state.comparison.trouble.message
        onlooker.choose("H-2")
        assert (onlooker.state.failure, onlooker.state.comparison) == (Loaded(), Loaded())


def test_figures_are_read_of_the_whole_repository(builder: RepositoryBuilder) -> None:
    """Also where no handoff is chosen and no log was begun: each says why it has no value."""
    build_work(builder)
    with looking(builder.folder) as onlooker:
        onlooker.wait_until_live()
        onlooker.desk.need(frozenset({Part.FIGURES}))
        report = onlooker.wait_for_parts(Part.FIGURES).figures.value
        assert report is not None
        assert all(figure.value is not None or figure.why for figure in report.figures)


def test_answer_about_another_handoff_is_not_shown() -> None:
    """The person has gone on meanwhile."""
    board, key = Board(lambda _: None), HandoffKey("/desk", "H-1")
    other = HandoffKey("/desk", "H-2")
    debugging = Debugging(board, Lane("slow", raise_bug), lambda _: object(), build_wanted)  # type: ignore[arg-type, return-value]
    board.change(lambda _: DeskState(chosen=key))

    def read(*_: object) -> object:
        board.change(lambda _: DeskState(chosen=other))
        return object()

    debugging._read("failure", key, read, threading.Event())
    assert board.state.failure == Loaded()


def test_nothing_is_asked_where_no_handoff_is_chosen() -> None:
    """There is nothing to explain."""
    board = Board(lambda _: None)
    lane = Lane("slow", raise_bug)
    Debugging(board, lane, lambda _: None, build_wanted).explain()
    assert lane.is_idle()
    assert not board.state.failure.loading
