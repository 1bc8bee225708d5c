"""Replays and figures put together by hand, for tests of what is shown."""

from __future__ import annotations

from typing import Any

from handoff_tui.history.metrics.report import LeftOut, Metric, MetricGroup, MetricsReport, Spread, Target, Unit, Week
from handoff_tui.history.replay.report import (
    ReplayAnswer,
    ReplayedApproval,
    ReplayQuestion,
    ReplayReport,
    ReplayVerdict,
)
from handoff_tui.log.entry import LogProblem, ProblemLevel
from handoff_tui.log.show.view import EntryState, LogRow

ENTRY = "sha256:" + "ab" * 32
OTHER = "sha256:" + "cd" * 32
HOSTILE = "<script>alert(1)</script> \x1b[31m|`x`\u202e"


def build_approval(**standings: ReplayVerdict) -> ReplayedApproval:
    """One approval; questions that are not named hold."""
    answers = tuple(
        ReplayAnswer(
            question=question,
            standing=standings.get(question.value, ReplayVerdict.HOLDS),
            summary=f"what is said of the {question}",
            details=(f"a detail of the {question}",),
        )
        for question in ReplayQuestion
    )
    return ReplayedApproval(
        entry=ENTRY,
        verb="approve",
        actor="ada@example.org",
        time="2026-03-02T10:00:00Z",
        handoff="H-1",
        phase="build",
        attempt=1,
        reason="",
        commit="1" * 40,
        tree="2" * 40,
        snapshot="3" * 64,
        review="4" * 64,
        answers=answers,
    )


def build_replay_report(*approvals: ReplayedApproval, **fields: Any) -> ReplayReport:  # noqa: ANN401 - any field
    rows = (
        LogRow(id=ENTRY, state=EntryState.VALID, what="approve", actor="ada@example.org", time="2026-03-02T10:00:00Z"),
        LogRow(id=OTHER, state=EntryState.REFUSED, code="bad-signature", why="the signature does not fit"),
    )
    problem = LogProblem(level=ProblemLevel.REFUSED, code="bad-signature", entry=OTHER, text="it does not fit")
    usual: dict[str, Any] = {
        "repo": "/home/ada/lamp",
        "head": "1" * 40,
        "log": OTHER,
        "policy": OTHER,
        "made_at": "2026-03-31T00:00:00Z",
        "fatal": False,
        "approvals": approvals,
        "entries": rows,
        "problems": (problem,),
    }
    return ReplayReport(**{**usual, **fields})


def build_share(**fields: Any) -> Metric:  # noqa: ANN401 - any field
    usual: dict[str, Any] = {
        "id": "success-rate",
        "system": "C",
        "title": "Success rate",
        "means": "What was approved.",
        "unit": Unit.SHARE,
        "value": 0.5,
        "part": 1.0,
        "of": 2,
        "target": Target(least=0.95),
        "grouped_by": "type",
        "groups": (
            MetricGroup(name="phase_transition", value=1.0, part=1.0, of=1, sources=(OTHER,)),
            MetricGroup(name="agent_handoff", value=0.0, part=0.0, of=1, sources=(ENTRY,)),
        ),
        "weeks": (Week(begins="2026-03-02", value=0.0, of=1), Week(begins="2026-03-09", value=1.0, of=1)),
        "left_out": (LeftOut(why="the phase was skipped", number=3),),
        "sources": (ENTRY, OTHER),
    }
    return Metric(**{**usual, **fields})


def build_times(**fields: Any) -> Metric:  # noqa: ANN401 - any field
    usual: dict[str, Any] = {
        "id": "time-to-decision",
        "system": "desk",
        "title": "Time to decision",
        "means": "How long it took.",
        "unit": Unit.SECONDS,
        "value": 250.0,
        "of": 3,
        "spread": Spread(least=5.0, median=250.0, ninetieth=7_500.0, most=7_500.0),
        "sources": (ENTRY,),
    }
    return Metric(**{**usual, **fields})


def build_unknown() -> Metric:
    return Metric(
        id="time-to-resume",
        system="A",
        title="Time to resume",
        means="How long a session takes to begin.",
        unit=Unit.SECONDS,
        why="no session can be told",
        target=Target(below=300.0),
    )


def build_metrics_report(*figures: Metric, **fields: Any) -> MetricsReport:  # noqa: ANN401 - any field
    usual: dict[str, Any] = {
        "repo": "/home/ada/lamp",
        "head": "1" * 40,
        "log": OTHER,
        "fatal": False,
        "made_at": "2026-03-31T00:00:00Z",
        "entries": 3,
        "submissions": 1,
        "decisions": 1,
        "metrics": figures or (build_unknown(), build_share(), build_times()),
    }
    return MetricsReport(**{**usual, **fields})
