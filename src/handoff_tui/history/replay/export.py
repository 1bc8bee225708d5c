"""The report for an auditor: past approvals judged again, figures, and the list of entries, written where asked."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from handoff_tui.handoffs.session import open_desk
from handoff_tui.history.metrics.figures import Window
from handoff_tui.history.metrics.metrics import read_metrics
from handoff_tui.history.metrics.report import MetricsReport
from handoff_tui.history.replay.replay import Progress, replay
from handoff_tui.history.replay.report import ReplayReport
from handoff_tui.log.open_log import open_log
from handoff_tui.system.files.named_files import write_new_file


class Audit(NamedTuple):
    """Both halves of the report, of one state of the log."""

    replay: ReplayReport
    metrics: MetricsReport


def read_audit_at(start: Path, window: Window, on_progress: Progress | None = None) -> Audit:
    """Reads and judges everything of the repository around a folder; no command is run."""
    desk = open_desk(start)
    log = open_log(desk.repository, remembered=False)
    return Audit(replay(desk, log, on_progress), read_metrics(desk, log, window))


def write_report(place: Path, text: str) -> int:
    """Writes a new file; its size. One that is there already stays as it is."""
    return write_new_file(place, (text.encode(),))
