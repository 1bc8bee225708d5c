"""Judges every past approval again: by today's rules and people, its evidence, and the configuration of its time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from handoff_tui.git.history.work_commits import find_ancestors
from handoff_tui.handoffs.session import Session, open_session
from handoff_tui.history.metrics.facts import sort_key
from handoff_tui.history.past.log import list_limits
from handoff_tui.history.past.repository import PastRepositories
from handoff_tui.history.replay import report
from handoff_tui.history.replay.judges import ConfigurationJudge, EvidenceJudge, RuleJudge, judge_people
from handoff_tui.log.entries.times import build_time
from handoff_tui.log.entry import PASSING
from handoff_tui.log.index import DecisionEntry, LogIndex, build_log_index
from handoff_tui.log.open_log import OpenLog, find_policy, open_log
from handoff_tui.log.show.entries import RowBuilder
from handoff_tui.log.show.view import LogRow
from handoff_tui.system.clock import read_now

_LIMITS = (", so nothing was judged", "approvals of commits it lacks can't be judged")
Progress = Callable[[int, int], None]
"""Called after each approval: how many are done, and how many there are."""


def replay_at(start: Path, on_progress: Progress | None = None) -> report.ReplayReport:
    """Replays the approvals of the repository around a folder."""
    session = open_session(start)
    return replay(session, open_log(session.repository), on_progress)


def replay(
    session: Session, log: OpenLog, on_progress: Progress | None = None, now: Callable[[], datetime] = read_now
) -> report.ReplayReport:
    """Runs rules on past trees; writes nothing and runs no command. A log that isn't intact isn't judged."""
    verdict = log.verify()
    rows = RowBuilder(verdict, log.find_candidates()).build_all()
    index = build_log_index(verdict)
    approvals = () if verdict.fatal else _judge_all(session, log, index, on_progress)
    return report.ReplayReport(
        repo=str(session.repository.root),
        head=session.work_tree.facts.head,
        log=verdict.log,
        policy=verdict.policy,
        made_at=build_time(now()),
        fatal=verdict.fatal,
        approvals=approvals,
        others=() if verdict.fatal else _list_others(index),
        entries=_sort_rows(rows),
        problems=verdict.problems,
        notes=(*list_limits(session, verdict, *_LIMITS), *_count_unjudged(approvals)),
    )


def list_approvals(index: LogIndex) -> list[DecisionEntry]:
    """Every decision that let work go on, void and withdrawn ones too, oldest first."""
    decisions = (decided for decided in index.decisions.values() if decided.decision.verb in PASSING)
    return sorted(decisions, key=lambda decided: sort_key(decided.entry))


def _judge_all(
    session: Session, log: OpenLog, index: LogIndex, on_progress: Progress | None
) -> tuple[report.ReplayedApproval, ...]:
    approvals = list_approvals(index)
    withdrawn = index.find_withdrawn()
    decisions = [decided for decided in approvals if decided.entry.id not in withdrawn]
    policy = find_policy(index.verdict)
    head = session.work_tree.facts.head
    commits = [decided.work.subject.commit for decided in decisions]
    behind = find_ancestors(session.repository.git, commits) if head is not None else frozenset()
    past = PastRepositories(session, session.loaded)
    rules, configuration, evidence = RuleJudge(past), ConfigurationJudge(past), EvidenceJudge(past, log, behind)
    judged = {
        decided.entry.id: _build_approval(decided, withdrawn=withdrawn[decided.entry.id])
        for decided in approvals
        if decided.entry.id in withdrawn
    }
    try:
        # by commit, so each is read once
        for number, decided in enumerate(sorted(decisions, key=lambda decided: decided.work.subject.commit), start=1):
            gathered = evidence.gather(decided)
            answers = (
                rules.judge(decided, gathered.record),
                judge_people(index, policy, decided),
                evidence.judge(decided, gathered),
                configuration.judge(decided),
            )
            void = index.verdict.void.get(decided.entry.id, "")
            judged[decided.entry.id] = _build_approval(decided, answers, void)
            if on_progress is not None:
                on_progress(number, len(decisions))
    finally:
        past.close()
    return tuple(judged[decided.entry.id] for decided in approvals)


def _list_others(index: LogIndex) -> tuple[report.OtherDecision, ...]:
    decisions = [
        one for one in index.decisions.values() if one.decision.verb not in PASSING and not index.is_void(one.entry.id)
    ]
    ordered = sorted(decisions, key=lambda decided: sort_key(decided.entry))
    return tuple(report.OtherDecision(**_describe(decided)) for decided in ordered)


def _count_unjudged(approvals: Sequence[report.ReplayedApproval]) -> tuple[str, ...]:
    number = sum(one.standing is report.ReplayVerdict.UNKNOWN for one in approvals)
    if not number:
        return ()
    what = "1 approval cannot" if number == 1 else f"{number:,} approvals cannot"
    return (f"{what} be judged here; the answers say what is missing",)


def _sort_rows(rows: list[LogRow]) -> tuple[LogRow, ...]:
    """Oldest first; unreadable entries have no time and come last."""
    unread = [row for row in rows if row.time is None]
    return (*reversed(rows[: len(rows) - len(unread)]), *unread)


def _describe(decided: DecisionEntry) -> dict[str, Any]:
    """What every decision has."""
    entry, work = decided.entry, decided.work
    return {
        "entry": entry.id,
        "actor": entry.actor,
        "time": entry.time,
        "handoff": work.handoff,
        "phase": work.phase,
        "attempt": work.attempt,
        "verb": decided.decision.verb.value,
        "reason": decided.decision.reason,
    }


def _build_approval(
    decided: DecisionEntry, answers: tuple[report.ReplayAnswer, ...] = (), void: str = "", withdrawn: str = ""
) -> report.ReplayedApproval:
    subject = decided.work.subject
    return report.ReplayedApproval(
        **_describe(decided),
        commit=subject.commit,
        tree=subject.tree,
        snapshot=subject.snapshot,
        review=decided.decision.review,
        void=void,
        withdrawn=withdrawn,
        answers=answers,
    )
