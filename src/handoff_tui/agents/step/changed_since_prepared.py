"""What has moved between preparing a start and the start itself: the work, the log, the configuration of agents."""

from __future__ import annotations

from handoff_tui.config.load import load_settings
from handoff_tui.core.errors import ShownMovedError
from handoff_tui.decisions.changed_since_shown import find_moves
from handoff_tui.decisions.examine import Examined, judge_again
from handoff_tui.log.index import LogIndex
from handoff_tui.log.open_log import open_log


def refuse_moved_start(examined: Examined) -> None:
    """Asks the gate and looks at the work once more; what was prepared is what starts, or an error says what moved."""
    moves = (*find_moves(examined), *_find_decisions(examined), *_find_settings(examined))
    if moves:
        raise ShownMovedError(
            f"nobody was started, since it is not as it was a moment ago: {'; '.join(moves)}", "Look, and ask again."
        )


def _find_decisions(examined: Examined) -> tuple[str, ...]:
    """By the signed log as it is now."""
    now = judge_again(examined, open_log(examined.desk.repository))
    target = examined.target
    if now.gate.state is not examined.gate.state:
        was, found = examined.gate.state.value, now.gate.state.value
        return (f"the gate behind {target.phase} is {found} now, and was {was}",)
    if _list_votes(now.index, target.handoff) != _list_votes(examined.index, target.handoff):
        return (f"somebody has decided about {target.handoff}",)
    return ()


def _list_votes(index: LogIndex, handoff: str) -> set[str]:
    return {vote.entry.id for vote in index.votes.values() if vote.work.handoff == handoff}


def _find_settings(examined: Examined) -> tuple[str, ...]:
    then, now = examined.desk.loaded.settings, load_settings(examined.desk.repository.root).settings
    moved = [
        words
        for words, same in (
            ("the configuration of agents", then.agents == now.agents),
            ("the configuration of pipelines", then.pipelines == now.pipelines),
        )
        if not same
    ]
    return tuple(f"{words} is another one" for words in moved)
