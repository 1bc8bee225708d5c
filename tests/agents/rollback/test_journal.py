from __future__ import annotations

from pathlib import Path

from handoff_tui.agents.rollback.report import RollbackRecord, RollbackState, SavedWork
from handoff_tui.agents.rollback.rollback import append_rollback, read_rollbacks
from handoff_tui.system.files.git_private_files import LocalFolder

SAVED = SavedWork(ref="refs/x", commit="a", tree="b", index_tree="c", head="d", raw=("e",))
RECORD = RollbackRecord(
    id="1", time="t", owner="ada", state=RollbackState.BEGUN, target="f", saved=SAVED, tree="g", commit="h"
)


def test_last_state_of_each_rollback_is_read(tmp_path: Path) -> None:
    """Oldest first; damaged lines are passed over."""
    local = LocalFolder(tmp_path)
    assert read_rollbacks(local) == ()
    append_rollback(local, RECORD)
    other = RECORD.model_copy(update={"id": "2"})
    append_rollback(local, other)
    local.append("rollbacks.jsonl", b"{half\n")
    done = RECORD.model_copy(update={"state": RollbackState.DONE})
    append_rollback(local, done)
    assert read_rollbacks(local) == (done, other)
