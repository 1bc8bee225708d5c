"""The report for an auditor: both halves of one log, written where asked."""

from __future__ import annotations

from pathlib import Path

import pytest

from handoff_tui.core.errors import StoreWriteError
from handoff_tui.history.metrics.figures import Window
from handoff_tui.history.replay.export import read_audit_at, write_report
from tests.support.replay_story import ReplayStory
from tests.support.repositories import RepositoryBuilder


def test_audit_has_both_halves_of_one_log(builder: RepositoryBuilder) -> None:
    """Approvals judged again, and figures."""
    ReplayStory(builder).decide()
    audit = read_audit_at(builder.folder, Window())
    assert (len(audit.replay.approvals), audit.metrics.decisions) == (1, 1)
    assert audit.replay.log == audit.metrics.log


def test_report_is_never_written_over_a_file(tmp_path: Path) -> None:
    """What is there stays."""
    place = tmp_path / "report.html"
    assert write_report(place, "é\n") == 3
    with pytest.raises(StoreWriteError):
        write_report(place, "other")
    assert place.read_text(encoding="utf-8") == "é\n"
