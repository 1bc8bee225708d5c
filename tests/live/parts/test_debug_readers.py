from __future__ import annotations

from threading import Event

from handoff_tui.history.attempts.report import AttemptOutcome
from handoff_tui.live.feed.snapshot import read_scene
from handoff_tui.live.parts.debug_readers import read_attempts, read_comparison, read_figures, read_why
from handoff_tui.live.parts.readers import Wanted
from handoff_tui.live.state.desk import USUAL_SCOPE
from tests.support.gates import HANDOFF, GateDesk

WANTED = Wanted(HANDOFF, None, USUAL_SCOPE)


def test_readers_tell_of_a_rejection_and_of_what_came_after(gate_desk: GateDesk) -> None:
    """Both attempts, the difference between them, and the figure that counts the rejection."""
    bo = gate_desk.person("bo")
    gate_desk.begin(bo)
    gate_desk.decide(bo, "reject", "--reason", "not yet")
    gate_desk.change()
    scene = read_scene(gate_desk.root, 1)
    [history] = read_attempts(scene, WANTED, Event()).histories
    assert [record.outcome for record in history.attempts] == [AttemptOutcome.REJECTED, AttemptOutcome.OPEN]
    first, now = (record.name for record in history.attempts)
    comparison = read_comparison(scene, first, now, Event())
    assert comparison.files is not None
    assert [file.change.path for file in comparison.files] == ["src/app.py"]
    why = read_why(scene, WANTED, Event())
    assert (why.handoff, why.total > 0) == (HANDOFF, True)
    assert read_figures(scene).decisions == 1
    gate_desk.root.joinpath("handoff-tui.toml").write_text("nonsense = 1\n", encoding="utf-8")
    [recorded] = read_attempts(read_scene(gate_desk.root, 2), WANTED, Event()).histories
    assert [record.outcome for record in recorded.attempts] == [AttemptOutcome.REJECTED]  # nothing is judged now
