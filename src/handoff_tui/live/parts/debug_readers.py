"""Reads what debugging asks about the handoff in view, or the repository: attempts, why it fails, figures."""

from __future__ import annotations

from threading import Event

from handoff_tui.checks.run.check import Telling
from handoff_tui.core.errors import HandoffError
from handoff_tui.history.attempts.attempts import read_history
from handoff_tui.history.attempts.compare import compare_attempts
from handoff_tui.history.attempts.report import AttemptComparison
from handoff_tui.history.failure.failure import FailurePlace, explore_failure
from handoff_tui.history.failure.report import FailureReport
from handoff_tui.history.metrics.figures import Window
from handoff_tui.history.metrics.metrics import read_metrics
from handoff_tui.history.metrics.report import MetricsReport
from handoff_tui.live.feed.snapshot import Scene
from handoff_tui.live.parts.readers import Wanted, look
from handoff_tui.live.state.debugging import AttemptsView
from handoff_tui.log.index import LogIndex, build_log_index
from handoff_tui.log.open_log import open_log


def read_figures(scene: Scene) -> MetricsReport:
    return read_metrics(scene.desk, open_log(scene.desk.repository), Window())


def read_attempts(scene: Scene, wanted: Wanted, cancel: Event) -> AttemptsView:
    """Those at the phase in view, what is here now among them, then those at every other phase that the log knows."""
    log = open_log(scene.desk.repository)
    try:
        scene.desk.loaded.refuse_judging()
        now = look(scene, wanted, cancel)
    except HandoffError:
        now = None  # what the log and the documents tell can be read all the same
    here = read_history(scene.desk, log, wanted.handoff, wanted.phase, now=now)
    index = now.index if now is not None else build_log_index(log.verify())
    others = [phase for phase in _list_phases(index, here.handoff) if phase != here.phase]
    return AttemptsView((here, *(read_history(scene.desk, log, here.handoff, phase) for phase in others)))


def _list_phases(index: LogIndex, handoff: str) -> list[str]:
    return sorted({phase for name, phase in (*index.votes_at, *index.submissions_at) if name == handoff})


def read_comparison(scene: Scene, before: str, after: str, cancel: Event) -> AttemptComparison:
    return compare_attempts(scene.desk, open_log(scene.desk.repository), before, after, telling=Telling(cancel=cancel))


def read_why(scene: Scene, wanted: Wanted, cancel: Event) -> FailureReport:
    """Why the gate in view is closed, by results that are there: no command is started for it."""
    scene.desk.loaded.refuse_judging()
    found = look(scene, wanted, cancel)
    place = FailurePlace(found.handoff.id, found.target.phase, found.target.attempt)
    return explore_failure(scene.desk, found.report, None if found.index.verdict.fatal else found.index, place)
