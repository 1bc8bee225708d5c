from __future__ import annotations

from handoff_tui.agents.rollback.report import RollbackPreview
from handoff_tui.agents.step.report import TouchedFile


def test_preview_is_empty_when_nothing_would_change() -> None:
    """Neither a file nor anything uncommitted."""
    preview = RollbackPreview(target="a", reason="r", head="b")
    assert preview.is_empty
    assert not preview.model_copy(update={"uncommitted": ("x",)}).is_empty
    assert not preview.model_copy(update={"files": (TouchedFile(path="x", change="added"),)}).is_empty
