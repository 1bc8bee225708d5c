"""Rollbacks put together by hand."""

from __future__ import annotations

from handoff_tui.agents.rollback.report import Rollback, RollbackPreview, RollbackState, SavedWork
from handoff_tui.agents.step.report import NewCommit, TouchedFile

PREVIEW = RollbackPreview(
    target="a" * 40,
    reason="bo approved H-1 there",
    head="b" * 40,
    branch="main",
    files=(TouchedFile(path="x\x1b", change="deleted"),) * 50,
    commits=(NewCommit(id="c" * 40, subject="work"),),
    uncommitted=("y",),
    unexplained=("y",),
    unsavable=("pipe is neither a file nor a link",),
    held=("ada",),
)
RECORD = Rollback(
    id="1",
    time="2026-01-01T00:00:00Z",
    owner="ada",
    state=RollbackState.DONE,
    target="a" * 40,
    saved=SavedWork(ref="refs/handoff-tui/saved/1", commit="d", tree="e", index_tree="f", head="g"),
    tree="h",
    commit="i",
)
